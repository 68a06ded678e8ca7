/** The walk-through for work on the interpreter, with the real `dotnet` or a stand-in. */
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { scratchFolder } from "./server.ts"
import { beginWalk, type Walk } from "./walk.ts"

export const lib = join(import.meta.dirname, "../lib")

export const expectAsCommitted = (walk: Walk, name: string) =>
  expect(walk.transcript()).toMatchFileSnapshot(join(import.meta.dirname, `walkthroughs/${name}.snapshot.txt`))

/** Runs the walk-through on the interpreter of `lib/csharp`, with the first `dotnet` in `path`. */
export const changeTheInterpreter = async (path: string): Promise<Walk> => {
  const folder = scratchFolder()
  for (const file of ["K3CSharp.csproj", "Program.cs"]) {
    copyFileSync(join(lib, "csharp", file), join(folder, file))
    chmodSync(join(folder, file), 0o644)
  }
  const program = join(folder, "Program.cs")
  const write = (source: string): void => writeFileSync(program, source)
  const right = readFileSync(program, "utf8")
  /** Programs that end soon are not worth the runtime's measurements of them. */
  const environment = { PATH: path, DOTNET_TieredPGO: "0" }
  const build = (...flags: readonly string[]): void =>
    void execFileSync("dotnet", ["build", ...flags], { cwd: folder, env: { ...process.env, ...environment }, stdio: "pipe" })

  write(right.replace("left * right;", "left * right + 1;"))
  build()
  const walk = await beginWalk(
    folder,
    ["--engine", "k3csharp", "--build-dir", join(folder, "bin"), "--build-command", "dotnet build", "--launch-timeout", "30s"],
    environment,
  )
  expect(await walk.call("k_eval", { code: "a:6\na*7" })).toMatchObject({ output: "43" })

  walk.say("In Program.cs, `left * right + 1;` becomes `left * right`.")
  write(right.replace("left * right;", "left * right"))
  expect(await walk.call("k_reload", { build: true })).toMatchObject({ ok: false, errors: [{ code: "CS1002" }] })

  walk.say("It becomes `left * right;`.")
  write(right)
  const { checks } = await walk.call("k_reload", { build: true, check: ["a+1", "a*7"] })
  expect(checks.rows).toMatchObject([{ code: "a*7", a: { printed: "43" }, b: { printed: "42" } }])
  expect(await walk.call("k_eval", { code: "a*a" })).toMatchObject({ output: "36" })

  walk.say("`left + right` becomes `left + right + 1`, and `dotnet build` is run in another window.")
  write(right.replace("left + right :", "left + right + 1 :"))
  // The packages are those of the builds before, and to look for them takes half of a build's work.
  build("--no-restore")
  // The build on disk is checked once a second.
  await walk.callUntil(({ notice }) => notice !== undefined, "k_eval", { code: "a" })
  expect(await walk.call("k_compare", { code: "a+a\na*a", between: ["running", "disk"] })).toMatchObject({ items: 2, differing: 1 })
  expect(await walk.call("k_reload", {})).toMatchObject({ ok: false })
  expect(await walk.call("k_eval", { code: "a+a" })).toMatchObject({ output: "12" })
  return walk
}
