/**
 * Names of places in a root that are read-only inside the fence, since what lies there runs, or steers a program, outside of it later.
 *
 * Does not: know the configuration of every program; the list is here.
 */

/** Folders and files of version control, editors, agents' hosts and shells. */
const PROTECTED: ReadonlySet<string> = new Set([
  ".git",
  ".gitmodules",
  ".hg",
  ".svn",
  ".jj",
  ".mcp.json",
  ".claude",
  ".claude.json",
  ".cursor",
  ".windsurf",
  ".vscode",
  ".vs",
  ".idea",
  ".zed",
  ".gemini",
  ".codex",
  ".opencode",
  "opencode.json",
  "opencode.jsonc",
  "crush.json",
  ".crush.json",
  ".continue",
  ".roo",
  ".kiro",
  ".amazonq",
  ".junie",
  ".trae",
  ".augment",
  ".factory",
  ".github",
  ".gitlab-ci.yml",
  ".circleci",
  ".pre-commit-config.yaml",
  ".devcontainer",
  ".envrc",
  ".husky",
  ".npmrc",
  ".yarnrc.yml",
])

export const isProtected = (name: string): boolean => PROTECTED.has(name)

/** What makes a folder the source of a .NET build. */
export const isProject = (name: string): boolean => /\.(?:cs|fs|vb)proj$/i.test(name)

/** What steers a .NET build wherever it lies, in its folder or around it, or is compiled. */
export const isBuildFile = (name: string): boolean =>
  isProject(name) || /\.(?:slnx?|props|targets|rsp|cs|fs|vb|editorconfig)$/i.test(name) || /^(?:nuget\.config|global\.json)$/i.test(name)
