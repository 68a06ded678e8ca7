/** All prompts. A new prompt is a file in this folder and a line here. */
import { buildLoop } from "./buildLoop.ts"
import { exploreData } from "./exploreData.ts"
import { fixError } from "./fixError.ts"
import { knowingArrays } from "./knowingArrays.ts"
import type { Prompt } from "./Prompt.ts"
import { quickStart } from "./quickStart.ts"
import { writeTests } from "./writeTests.ts"

export const prompts: readonly Prompt[] = [quickStart, knowingArrays, fixError, buildLoop, writeTests, exploreData]

export const find = (name: string): Prompt | undefined => prompts.find((each) => each.name === name)

/** The entries of `prompts/list`. */
export const listed: readonly object[] = prompts.map(({ name, title, description, arguments: all }) => ({
  name,
  title,
  description,
  arguments: all.map((each) => ({ name: each.name, description: each.description, required: each.required })),
}))
