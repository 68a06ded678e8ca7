/** Starts `k3 --lsp` for the K3 texts of a window. */
const { workspace } = require("vscode")
const { LanguageClient, TransportKind } = require("vscode-languageclient/node")

let client

exports.activate = () => {
  const command = workspace.getConfiguration("k3").get("program", "k3")
  client = new LanguageClient(
    "k3",
    "K3",
    { command, args: ["--lsp"], transport: TransportKind.stdio, options: { shell: process.platform === "win32" } },
    { documentSelector: [{ language: "k3" }] },
  )
  return client.start()
}

exports.deactivate = () => client?.stop()
