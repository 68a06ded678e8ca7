/**
 * Names of files and folders that are read-only in a root, since they may later run, or steer a program, outside the fence.
 *
 * Does not: know the configuration of every program; only names in this list are protected.
 */

/** Folders and files of version control, editors, agents' hosts, shells and package managers, in small letters. */
const PROTECTED: ReadonlySet<string> = new Set([
  ".git",
  ".gitmodules",
  ".hg",
  ".svn",
  ".jj",
  // The usual folder of `core.hooksPath`.
  ".githooks",
  "lefthook.yml",
  ".lefthook.yml",
  ".mcp.json",
  ".claude",
  ".claude.json",
  ".cursor",
  ".windsurf",
  ".vscode",
  ".vs",
  ".idea",
  ".zed",
  ".helix",
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
  ".agents",
  ".qwen",
  ".kilocode",
  ".aider.conf.yml",
  ".github",
  ".gitlab-ci.yml",
  ".circleci",
  ".pre-commit-config.yaml",
  ".devcontainer",
  ".envrc",
  "mise.toml",
  ".mise.toml",
  ".husky",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".yarn",
  ".pnp.cjs",
  ".pnpmfile.cjs",
  ".cargo",
])

/** Whether a file with this name makes its folder the source of a .NET build. */
export const isProject = (name: string): boolean => /\.(?:cs|fs|vb)proj$/i.test(name)

/** Whether a file with this name is compiled by, or steers, a .NET build, from its folder or a folder around it. */
const isBuildFile = (name: string): boolean =>
  isProject(name) || /\.(?:slnx?|props|targets|rsp|cs|fs|vb|editorconfig)$/i.test(name) || /^(?:nuget\.config|global\.json)$/i.test(name)

/** `builds`: files of a .NET build count too. In any case: on file systems that ignore it, `.GIT` is `.git`. */
export const isProtected = (name: string, builds: boolean): boolean =>
  PROTECTED.has(name.toLowerCase()) || /\.code-workspace$/i.test(name) || (builds && isBuildFile(name))
