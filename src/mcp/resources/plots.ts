/** The pictures of `k_plot`, as SVG. */
import * as Effect from "effect/Effect"
import { Sessions } from "../../session/Sessions.ts"
import type { Resource } from "./Resource.ts"

const utf8 = new TextDecoder()

export const plotResource: Resource = {
  uri: "k3://sessions/{session}/plots/{n}",
  name: "plot",
  title: "A plot",
  description: "A picture as SVG, by its number; the latest 64 are kept. Tool: k_plot.",
  mimeType: "image/svg+xml",
  priority: 0.3,
  present: Effect.map(Sessions, ({ plots }) =>
    plots.kept().map(({ session, n, title, summary, at, svg }) => ({
      variables: { session, n: String(n) },
      title,
      description: summary.join("\n"),
      size: svg.length,
      lastModified: at,
    })),
  ),
  complete: {
    n: (_, { session }) =>
      Effect.map(Sessions, ({ plots }) =>
        plots.kept().flatMap((each) => (session === undefined || each.session === session ? String(each.n) : [])),
      ),
  },
  read: ({ session, n }) =>
    Effect.map(Sessions, ({ plots }) => {
      const found = plots.kept().find((each) => each.session === session && String(each.n) === n)
      return found && utf8.decode(found.svg)
    }),
}
