/** Printed text, line for line. Tab reaches it only when it has to be scrolled. */
import { visible } from "../visible.ts"
import { useLayoutEffect, useRef } from "preact/hooks"

export const Printed = ({ text, look }: { readonly text: string; readonly look: "output" | "error" }) => {
  const block = useRef<HTMLPreElement>(null)
  useLayoutEffect(() => {
    const element = block.current!
    const isScrolled = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight
    if (isScrolled) element.tabIndex = 0
    else element.removeAttribute("tabindex")
  })
  return (
    <pre class={look} ref={block}>
      {visible(text)}
    </pre>
  )
}
