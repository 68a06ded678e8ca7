/** The command that starts a K3CSharp build, by its files and the operating system. */
import { expect, it } from "vitest"
import { commandOf } from "../../../src/child/engines/k3csharp.ts"

const unix = { folder: "/tmp/k3-mcp-0/a b", files: ["K3CSharp", "K3CSharp.dll"] }
const windows = { folder: "C:\\Temp\\k3-mcp-me\\a b", files: ["K3CSharp.dll", "K3CSharp.exe"] }
const dll = ["K3CSharp.dll", "K3CSharp.runtimeconfig.json"]

it.each([
  ["its own program", unix, false, "/tmp/k3-mcp-0/a b/K3CSharp", ["--mcp"]],
  ["dotnet, without one", { ...unix, files: dll }, false, "dotnet", ["/tmp/k3-mcp-0/a b/K3CSharp.dll", "--mcp"]],
  ["dotnet, with one for Windows alone", { ...unix, files: windows.files }, false, "dotnet", ["/tmp/k3-mcp-0/a b/K3CSharp.dll", "--mcp"]],
  ["K3CSharp.exe on Windows", windows, true, "C:\\Temp\\k3-mcp-me\\a b\\K3CSharp.exe", ["--mcp"]],
  ["dotnet on Windows, without one", { ...windows, files: dll }, true, "dotnet", ["C:\\Temp\\k3-mcp-me\\a b\\K3CSharp.dll", "--mcp"]],
])("%s", (_, build, onWindows, command, args) => expect(commandOf(build, onWindows)).toEqual({ command, args }))
