#!/usr/bin/env node
/**
 * A toy `dotnet build` for tests without .NET, copied under the name `dotnet`: compiles the `Program.cs` of csharp/ in the working folder into a
 * build that `toyChild.mjs` runs. It understands only the line that adds and multiplies, and reports a missing semicolon there like the compiler.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"

const lines = readFileSync("Program.cs", "utf8").split("\n")
const at = lines.findIndex((line) => line.includes("left * right"))
const [, sum = 0, times = 0] = /left \+ right(?: \+ (\d+))? : left \* right(?: \+ (\d+))?;/.exec(lines[at]) ?? []
if (!lines[at].endsWith(";")) {
  console.log(`${process.cwd()}/Program.cs(${at + 1},${lines[at].length + 1}): error CS1002: ; expected [${process.cwd()}/K3CSharp.csproj]`)
  process.exit(1)
}
mkdirSync("bin", { recursive: true })
writeFileSync("bin/K3CSharp.dll", `times ${times} sum ${sum}`)
copyFileSync(new URL("toyChild.mjs", import.meta.url), "bin/K3CSharp")
