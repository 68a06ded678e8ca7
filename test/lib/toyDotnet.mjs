#!/usr/bin/env node
/**
 * `dotnet build` for tests that have no .NET, copied under the name `dotnet`: makes of the `Program.cs` of csharp/, in the working folder, a
 * build that `toyChild.mjs` runs. Of C# it knows the one line that adds and multiplies, and tells a semicolon missing there as the compiler does.
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
