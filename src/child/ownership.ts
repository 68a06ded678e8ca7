/** Checks the owner and the access rights of a folder. On Windows, where Node tells neither, every folder passes. */
import type { File } from "effect/FileSystem"
import * as Option from "effect/Option"
import type { Machine } from "./Machine.ts"

type Who = Pick<Machine["Service"], "windows" | "user">

export const isForeign = ({ windows, user }: Who, { uid }: Pick<File.Info, "uid">): boolean =>
  !windows && Option.isSome(uid) && /^\d+$/.test(user) && String(uid.value) !== user

/** Whether the mode of a folder has any of `rights`, bits that other users should not have. */
export const isOpen = ({ windows }: Who, { mode }: Pick<File.Info, "mode">, rights: number): boolean => !windows && (mode & rights) !== 0
