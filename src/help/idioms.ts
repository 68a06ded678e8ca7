/** Entries of the idioms: K code for a task, found by the words of the task. */
import type { HelpEntry } from "./HelpEntry.ts"
import { data } from "./idioms/data.ts"
import { lists } from "./idioms/lists.ts"
import { numbers } from "./idioms/numbers.ts"
import { programs } from "./idioms/programs.ts"
import { shapes } from "./idioms/shapes.ts"
import { strings } from "./idioms/strings.ts"

export const idiomGroups = [...numbers, ...lists, ...shapes, ...strings, ...programs, ...data]

export const idioms: readonly HelpEntry[] = idiomGroups.flatMap(({ group, rows }) =>
  rows.map(([name, task, code, prints]) => ({
    kind: "idiom" as const,
    form: name,
    keys: [name],
    title: task,
    group,
    body: [[code, prints] as const],
    words: "",
    related: [],
  })),
)
