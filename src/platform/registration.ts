/** The configuration that registers a listening server, one block per host. Each takes the token from the environment. */

export const registration = (url: string): string =>
  [
    "Each of these reads the token from the environment:",
    '  export K3_TOKEN="$(k3-mcp token show)"',
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
