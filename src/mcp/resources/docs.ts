/** The documentation of K and of this server, one page per topic. It is loaded at the first use. */
import * as Effect from "effect/Effect"
import { loadHelp } from "../loadHelp.ts"
import type { Resource } from "./Resource.ts"

const help = Effect.promise(() => loadHelp((all) => all.help()))

export const docsResource: Resource = {
  uri: "k3://docs/{topic}",
  name: "docs",
  title: "K3 documentation",
  description: "Language, verbs, adverbs, system names, commands, errors, idioms, this server. Tool: k_help.",
  mimeType: "text/markdown",
  priority: 0.4,
  present: Effect.map(help, ({ topicTitles }) =>
    Array.from(topicTitles, ([topic, title]) => ({ variables: { topic }, title: `K3: ${topic}`, description: `${title}. Tool: k_help.` })),
  ),
  complete: { topic: () => Effect.map(help, ({ pageNames }) => pageNames()) },
  read: ({ topic = "" }) => Effect.map(help, ({ topicPage }) => topicPage(topic)),
}
