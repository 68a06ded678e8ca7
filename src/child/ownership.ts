/** Who owns a folder, and who else can reach it. On Windows, where these calls tell neither, every folder passes. */
import type { File } from "effect/FileSystem"
import * as Option from "effect/Option"
import type { Machine } from "./Machine.ts"

type Who = Pick<Machine["Service"], "windows" | "user">

export const isForeign = ({ windows, user }: Who, { uid }: Pick<File.Info, "uid">): boolean =>
  !windows && Option.isSome(uid) && /^\d+$/.test(user) && String(uid.value) !== user

/** `rights`: the bits of its mode that others should not have. */
export const isOpen = ({ windows }: Who, { mode }: Pick<File.Info, "mode">, rights: number): boolean => !windows && (mode & rights) !== 0
