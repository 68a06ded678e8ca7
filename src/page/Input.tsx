/** The input for K code; a login that may only watch gets a sentence instead. */
import type { EditorView } from "@codemirror/view"
import { useEffect, useRef } from "preact/hooks"
import { makeEditor } from "./editor.ts"
import type { PageStore } from "./PageStore.ts"
import type { Row } from "./transcript.ts"
import { visible } from "../visible.ts"

const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ""

const codeOf = (row: Row): string | undefined =>
  row.kind === "answer"
    ? row.answer.code
    : row.kind === "entry" && row.entry.event === undefined && row.isWhole
      ? row.entry.code
      : undefined

/** Code in the transcript, by this page and others, and code of this page without an answer, by time; repetitions in a row count once. */
const pastOf = ({ transcript, unanswered, session }: PageStore): readonly string[] =>
  [
    ...transcript.value.rows.map((row) => ({ code: codeOf(row), at: Date.parse(row.at) })),
    ...unanswered.value.filter((each) => each.session === session.value),
  ]
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ code }) => (code === undefined ? [] : [code.trimEnd()]))
    .filter((code, index, all) => code !== all[index - 1])

const mostHelp = 1200

const Editor = ({ store }: { readonly store: PageStore }) => {
  const parent = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const view: EditorView = makeEditor({
      parent: parent.current!,
      nonce: nonce(),
      evaluate: (code) => void store.evaluate(code),
      past: () => pastOf(store),
      names: (value) => store.complete("k3://sessions/{session}/state/{path}", { name: "path", value }),
      systemNames: (value) => store.complete("k3://docs/{topic}", { name: "topic", value }),
      help: async (query) => {
        const reply = await store.call("k_help", { query, session: store.session.value }).catch(() => undefined)
        return reply?.structured?.ok === true ? String(reply.structured.text).slice(0, mostHelp) : ""
      },
    })
    return () => view.destroy()
  }, [])
  return <div class="editor" ref={parent} />
}

export const Input = ({ store }: { readonly store: PageStore }) => (
  <section class="input" aria-label="Input">
    {store.message.value !== "" && (
      <p class="message" role="status">
        {visible(store.message.value)}
      </p>
    )}
    {store.mayChange.value ? <Editor store={store} /> : <p class="quiet">You watch this session: your login may not evaluate.</p>}
  </section>
)
