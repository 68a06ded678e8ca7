/** K code, coloured. A character that would turn the direction of text is shown as an escape, so that code reads as it runs. */
import { visible } from "../visible.ts"
import { pieces } from "./pieces.ts"

/** Characters beyond which code is shown without colours: drawing them takes too long. */
const mostColoured = 20_000

export const Code = ({ text }: { readonly text: string }) => (
  <code class="k">
    {text.length > mostColoured
      ? visible(text)
      : pieces(text).map(({ colour, start, end }) =>
          colour === "plain" ? visible(text.slice(start, end)) : <span class={`k-${colour}`}>{visible(text.slice(start, end))}</span>,
        )}
  </code>
)
