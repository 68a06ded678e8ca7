/** K code, coloured. */
import { pieces } from "./pieces.ts"

/** Characters beyond which code is shown without colours: drawing them takes too long. */
const mostColoured = 20_000

export const Code = ({ text }: { readonly text: string }) => (
  <code class="k">
    {text.length > mostColoured
      ? text
      : pieces(text).map(({ colour, start, end }) =>
          colour === "plain" ? text.slice(start, end) : <span class={`k-${colour}`}>{text.slice(start, end)}</span>,
        )}
  </code>
)
