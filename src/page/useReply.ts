/** The reply of a tool in a view, kept up to date by `Asker.ts`. */
import { useEffect, useMemo, useState } from "preact/hooks"
import { Asker } from "./Asker.ts"
import type { PageStore } from "./PageStore.ts"

interface Question<Reply> {
  readonly store: PageStore
  readonly tool: string
  /** Undefined for no question. */
  readonly args: object | undefined
  /** A new version causes another request. */
  readonly version?: unknown
  readonly isPassing?: (reply: Reply) => boolean
}

interface Told<Reply> {
  readonly question: string
  readonly reply?: Reply
  /** Why the latest request has no reply; it is being repeated. Empty after a reply. */
  readonly problem: string
}

/** `reply` is undefined until the first one to these arguments; `ask` asks again. */
export const useReply = <Reply>({ store, tool, args, version, isPassing = () => false }: Question<Reply>) => {
  const question = args && JSON.stringify([tool, args])
  const [told, setTold] = useState<Told<Reply> | undefined>(undefined)
  const asker = useMemo(
    () =>
      question === undefined
        ? undefined
        : new Asker<Reply>({
            ask: async () => (await store.call(tool, args!)).structured,
            onReply: (reply) => setTold({ question, reply, problem: "" }),
            onFailure: ({ message: problem }) =>
              setTold((before) => ({ ...(before?.question === question ? before : { question }), problem })),
            isPassing,
          }),
    [store, question],
  )
  useEffect(() => () => asker?.close(), [asker])
  useEffect(() => asker?.renew(), [asker, version])
  const { reply, problem } = told !== undefined && told.question === question ? told : { reply: undefined, problem: "" }
  return { reply, problem, ask: () => asker?.renew() }
}
