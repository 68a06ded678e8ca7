/** The configuration that registers a listening server, one block per host. Each takes the token from the environment. */
import { isLoopback, place, type ListenAddress, withoutMcp } from "../settingKinds.ts"

/** Beyond loopback, a server takes the tokens of principals alone. */
const tokenLine = (listen: ListenAddress): string =>
  isLoopback(listen)
    ? 'export K3_TOKEN="$(k3-mcp token show)"'
    : "export K3_TOKEN=TOKEN   where TOKEN is what k3-mcp token add NAME printed"

/** `publicUrl`: the address of a proxy before the server. */
export const registration = (listen: ListenAddress, publicUrl: string | null): string => {
  const url = `${withoutMcp(publicUrl ?? `http://${place.show(listen)}`)}/mcp`
  return [
    "Each of these reads the token from the environment:",
    `  ${tokenLine(listen)}`,
    "",
    "Claude Code:",
    `  claude mcp add --transport http k3 ${url} --header 'Authorization: Bearer \${K3_TOKEN}'`,
    "",
    "VS Code, in .vscode/mcp.json:",
    `  {"servers":{"k3":{"type":"http","url":"${url}","headers":{"Authorization":"Bearer \${env:K3_TOKEN}"}}}}`,
    "",
    "Cursor, in .cursor/mcp.json:",
    `  {"mcpServers":{"k3":{"url":"${url}","headers":{"Authorization":"Bearer \${env:K3_TOKEN}"}}}}`,
    "",
    "Gemini CLI, in ~/.gemini/settings.json:",
    `  {"mcpServers":{"k3":{"httpUrl":"${url}","headers":{"Authorization":"Bearer $K3_TOKEN"}}}}`,
    "",
    "Codex, in ~/.codex/config.toml:",
    "  [mcp_servers.k3]",
    `  url = "${url}"`,
    '  bearer_token_env_var = "K3_TOKEN"',
    "",
  ].join("\n")
}
