/** The names that are read-only in a root. `test/platform/RootWatch.test.ts` tests how they are found, and watched. */
import { expect, it } from "vitest"
import { isProtected } from "../../../src/child/fence/protectedPaths.ts"

it.each([".git", ".GIT", ".VSCode", ".githooks", "lefthook.yml", ".yarn", ".helix", "my.code-workspace"])(
  "G13 a program outside of the fence obeys or runs %s, also where the file system ignores case",
  (name) => expect(isProtected(name, false)).toBe(true),
)

it.each([["main.k"], ["git"], ["Program.cs"], ["package.json"]])("%s is K's to write", (name) =>
  expect(isProtected(name, false)).toBe(false),
)

it.each([["Program.cs"], ["Directory.Build.props"], ["K3.CSPROJ"]])("%s is protected beside a .NET build", (name) =>
  expect(isProtected(name, true)).toBe(true),
)
