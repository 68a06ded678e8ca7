/** The replies of `k_define`. Does not: render `run`, whose reply is a tool's (`defined.ts`). */
import { toolName } from "../../define/definition.ts"
import { annotationsOf } from "../../define/purity.ts"
import { limits } from "../../limits.ts"
import type { Definition } from "../../session/Definitions.ts"
import { shortened } from "../../shortened.ts"
import { failed, noticed, type Reply } from "./Reply.ts"
import { parametersText } from "./defined.ts"
import type { Tried } from "../examples.ts"
import { examplesOutput, examplesText, notRunText, ranText } from "./examples.ts"
import { indent, paragraphs, plural, size, some } from "./words.ts"

const row = (definition: Definition) => ({
  tool: toolName(definition.name),
  version: definition.version,
  description: definition.description,
  parameters: parametersText(definition),
  session: definition.session,
  reads_only: annotationsOf(definition).readOnlyHint,
})

const rowText = (definition: Definition): string =>
  `${toolName(definition.name)} version ${definition.version} (${parametersText(definition)}) in session ${definition.session}: ${definition.description}`

/** A sentence on the function's side effects. */
const does = ({ touches, assigns, unknown, ways = touches }: Definition): string | undefined => {
  const parts = [
    ...(assigns.length > 0 ? [`it assigns ${some(assigns, 10)}`] : []),
    ...(ways.length > 0 ? [`it has side effects: ${some(ways, 10)}`] : []),
    ...(unknown.length > 0 ? [`it uses names that are not in the session: ${some(unknown, 10)}`] : []),
  ]
  return parts.length === 0 ? undefined : `Note: ${parts.join("; ")}.`
}

export interface Remarks {
  /** The definition equals the tool's latest version. */
  readonly same: boolean
  /** The definition is on disk. */
  readonly kept: boolean
  /** The session's engine enforces a memory limit. */
  readonly limitsMemory: boolean
  /** Those of `k_validate`, as lines. */
  readonly warnings: readonly string[]
}

export const defined = (definition: Definition, { same, kept, limitsMemory, warnings }: Remarks): Reply => {
  const { version, memory } = definition
  const tool = toolName(definition.name)
  return noticed(
    [`${tool} is ${same ? "unchanged" : "defined"}, version ${version}. Call it as a tool, or with k_define run.`],
    { tool, version },
    [
      does(definition),
      warnings.length === 0 ? undefined : `Note: k_validate warns:\n${warnings.join("\n")}`,
      kept ? undefined : "Note: the tool is in memory only, not on disk: k_status says why.",
      memory === undefined || limitsMemory
        ? undefined
        : `Note: K3CSharp does not keep to the ${size(memory)} of this tool; only K3_CHILD_MEMORY limits it.`,
    ],
  )
}

export const listed = (all: readonly Definition[]): Reply => ({
  text: all.map(rowText).join("\n") || "No tool is defined. k_define define makes one of a K function.",
  structured: { ok: true, tools: all.map(row) },
})

export const source = (definition: Definition, versions: readonly number[]): Reply => {
  const { uses = [], ways: touches = definition.touches, examples = [] } = definition
  return {
    text: paragraphs(
      rowText(definition),
      indent(definition.code),
      uses.length === 0 ? undefined : `uses: ${uses.join(", ")}`,
      touches.length === 0 ? undefined : `touches: ${touches.join(", ")}`,
      ...examples.map((each, i) => `example ${i + 1}: ${JSON.stringify(each.arguments)} gives ${JSON.stringify(each.result)}`),
      versions.length > 1 ? `Versions: ${versions.join(", ")}` : undefined,
    ),
    structured: {
      ok: true,
      tools: [
        {
          ...row(definition),
          code: definition.code,
          ...(uses.length > 0 && { uses }),
          ...(touches.length > 0 && { touches }),
          ...(examples.length > 0 && { examples }),
          versions,
        },
      ],
    },
  }
}

export const removed = (name: string): Reply => ({
  text: `${toolName(name)} is removed, with all its versions.`,
  structured: { ok: true, tool: toolName(name) },
})

export const tested = (tried: Tried): Reply =>
  noticed([ranText(tried)], { ok: tried.failing.length === 0, examples: examplesOutput(tried) }, [
    tried.ran + tried.left.length === 0
      ? "No tool keeps an example; k_define define with arguments and result, or examples, gives it one."
      : notRunText(tried),
  ])

/** Refuses a definition whose code fails an example. */
export const examplesFailed = (tried: Tried): Reply =>
  failed(
    "example",
    paragraphs(
      "Nothing is defined: examples fail.",
      examplesText(tried),
      "Put the code or the example right and call k_define define again; examples take the place of those that are kept.",
    ),
  )

export const unknownTool = (given: string, all: readonly Definition[]): Reply =>
  failed(
    "tool",
    `No tool ${shortened(given, 80)} is defined; there are: ${all.map(({ name }) => toolName(name)).join(", ") || "none"}.\nCall k_define list to see them, or k_define define to make it.`,
  )

export const unknownVersion = (action: string, name: string, version: number, versions: readonly number[]): Reply =>
  failed("version", `${toolName(name)} has no version ${version}. Call k_define ${action} again with one of ${versions.join(", ")}.`)

export const notDefined = (problems: readonly string[]): Reply =>
  failed("definition", paragraphs("Nothing is defined:", indent(problems.join("\n")), "Put it right and call k_define define again."))

export const tooMany = (all: readonly Definition[]): Reply =>
  failed(
    "tools",
    `${plural(limits.definitions, "tool")} are defined, which is the limit. Call k_define remove with one of: ${all.map(({ name }) => toolName(name)).join(", ")}.`,
  )
