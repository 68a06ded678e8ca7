/** The variables of a session as a tree, and details of the variable that the address names: figures, text, rows. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { Code } from "./Code.tsx"
import { Grid } from "./Grid.tsx"
import { figure } from "../grid/figure.ts"
import { type Layout, layoutOf, type ListedVariable } from "../grid/layout.ts"
import { Live } from "../grid/Live.tsx"
import { Reader } from "../grid/Reader.ts"
import { type VariableDetail, type InspectionReply, isPassing } from "./replies.ts"
import { Printed } from "./Printed.tsx"
import { hashOf } from "./route.ts"
import type { PageStore } from "./PageStore.ts"
import { visible } from "../visible.ts"
import { useReply } from "./useReply.ts"

/** The reply of `k_inspect` for a path, read again whenever the session's variables may have changed. Undefined for a session that is not listed. */
const useInspection = (store: PageStore, path: string, isWanted: boolean, cursor?: string): InspectionReply | undefined => {
  const session = store.session.value
  const asked = { path, session, ...(cursor !== undefined && { cursor }) }
  const args = isWanted && store.sessions.value.some(({ name }) => name === session) ? asked : undefined
  return useReply({ store, tool: "k_inspect", args, version: store.changed.value, isPassing }).reply
}

/** The path of an entry; undefined for a dictionary's key that no path can hold, such as one with a blank or a dot. */
const pathOf = (path: string, name: string): string | undefined =>
  path === "." ? name : /^\w+$/.test(name) ? `${path}.${name}` : undefined

interface LeafParts {
  readonly variable: ListedVariable
  /** Undefined: it is shown without a link. */
  readonly path: string | undefined
  readonly store: PageStore
}

const Leaf = ({ variable, path, store }: LeafParts) => {
  const { name, kind, shape, preview } = variable
  return (
    <a
      class="leaf"
      {...(path !== undefined && { href: hashOf(store.session.value, "variables", path) })}
      aria-current={current(store, path)}
    >
      <span class="name">{visible(name)}</span>
      <small>
        {kind}
        {shape !== "" && ` ${shape}`}
      </small>
      <code>{visible(preview)}</code>
    </a>
  )
}

/** For the entry that the address names. */
const current = (store: PageStore, path: string | undefined): "true" | undefined => (store.route.value.path === path ? "true" : undefined)

const Branch = ({ variable, path, store }: { readonly variable: ListedVariable; readonly path: string; readonly store: PageStore }) => {
  const [isOpen, setIsOpen] = useState(false)
  const inspection = useInspection(store, path, isOpen)
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary aria-current={current(store, path)}>
        <span class="name">{visible(variable.name)}</span> <small>{variable.kind}</small>
      </summary>
      {inspection !== undefined && layoutOf(inspection) !== undefined && (
        <a class="leaf" href={hashOf(store.session.value, "variables", path)}>
          Show as a table
        </a>
      )}
      {inspection !== undefined && <Names inspection={inspection} store={store} />}
    </details>
  )
}

interface MoreParts {
  readonly path: string
  /** Of the first name. */
  readonly cursor: string
  readonly count: number
  readonly store: PageStore
}

/** The names that an inspection left out, once they are asked for. */
const More = ({ path, cursor, count, store }: MoreParts) => {
  const [isWanted, setIsWanted] = useState(false)
  const inspection = useInspection(store, path, isWanted, cursor)
  if (inspection !== undefined) return <Names inspection={inspection} store={store} />
  return (
    <button type="button" onClick={() => setIsWanted(true)}>
      Show {count} more
    </button>
  )
}

const Names = ({ inspection, store }: { readonly inspection: InspectionReply; readonly store: PageStore }) => {
  const { path = "", entries = [], notice, omitted = 0, cursor } = inspection
  return (
    <>
      <ul class="names">
        {entries.map((variable) => {
          const own = pathOf(path, variable.name)
          return (
            <li key={variable.name}>
              {variable.type === 5 && own !== undefined ? (
                <Branch variable={variable} path={own} store={store} />
              ) : (
                <Leaf variable={variable} path={own} store={store} />
              )}
            </li>
          )
        })}
      </ul>
      {cursor !== undefined && <More path={path} cursor={cursor} count={omitted} store={store} />}
      {isPassing(inspection) && entries.length > 0 && <p class="quiet">{notice}</p>}
    </>
  )
}

const Figures = ({ value }: { readonly value: VariableDetail }) => {
  const { kind, shape, bytes, least, greatest, mean, distinct, nulls, sampled } = value
  const all = { shape: shape.replaceAll(/\d+/g, (n) => figure(Number(n))), bytes, least, mean, greatest, distinct, nulls }
  return (
    <dl class="figures">
      <div>
        <dt>kind</dt>
        <dd>{kind}</dd>
      </div>
      {Object.entries(all).map(([name, each]) =>
        each === undefined || each === "" ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof each === "number" ? figure(each) : each}</dd>
          </div>
        ),
      )}
      {sampled !== undefined && <p class="quiet">figures of a sample of {sampled}</p>}
    </dl>
  )
}

const Ends = ({ value }: { readonly value: VariableDetail }) => (
  <Printed
    look="output"
    text={
      value.tail === undefined
        ? value.preview
        : `${value.preview}
… ${value.tail}`
    }
  />
)

const said = ({ value, entries }: InspectionReply): string => JSON.stringify([value, entries])

const shownOf = (listed: number, omitted: number, layout: Layout | undefined): string =>
  layout === undefined
    ? "It is no table: its entries are in the tree."
    : `The first ${figure(listed)} of ${figure(listed + omitted)} entries, as columns; all are in the tree.`

/** Rows for a login that may only watch: it makes no copy, so each row is read when it comes into view. */
interface WatchedParts {
  readonly store: PageStore
  readonly path: string
  readonly layout: Layout
  /** A new version makes the rows be read again. */
  readonly version: string
}

const Watched = ({ store, path, layout, version }: WatchedParts) => {
  const session = store.session.value
  const names = layout.kind === "table" ? layout.names : undefined
  const reader = useMemo(() => {
    const of = { path, session, ...(names !== undefined && { columns: names }) }
    return new Reader(async (window) => (await store.call("k_rows", { ...of, ...window })).structured)
  }, [store, session, path, names?.join()])
  useEffect(() => () => reader.close(), [reader])
  const isHere = store.link.value === "here"
  useEffect(() => void (isHere && reader.open().then(() => reader.pages.renew())), [reader, version, isHere])
  return (
    <div class="gridded">
      <Live reader={reader} />
    </div>
  )
}

const One = ({ store, path }: { readonly store: PageStore; readonly path: string }) => {
  const inspection = useInspection(store, path, true)
  const lastLayout = useRef<Layout | undefined>(undefined)
  // While an evaluation or a capture runs, the inspection may be incomplete: it is not compared.
  const now = inspection === undefined || isPassing(inspection) ? undefined : said(inspection)
  if (inspection === undefined) return null
  const { value, entries = [], notice, omitted = 0 } = inspection
  // A table stays, with its filter and order, while its variable has no value: after a reset, a restart or a restore it may come back.
  const layout = layoutOf(inspection) ?? (isPassing(inspection) ? lastLayout.current : undefined)
  lastLayout.current = layout
  return (
    <section class="one" aria-label={path}>
      <h2>{path}</h2>
      {notice !== undefined && <p class="quiet">{omitted === 0 ? notice : shownOf(entries.length, omitted, layout)}</p>}
      {value !== undefined && <Figures value={value} />}
      {value?.text !== undefined && (
        <pre class="code">
          <Code text={value.text} />
        </pre>
      )}
      {value !== undefined && value.text === undefined && layout === undefined && <Ends value={value} />}
      {layout !== undefined && !store.mayChange.value && <Watched store={store} path={path} layout={layout} version={said(inspection)} />}
      {layout !== undefined && store.mayChange.value && (
        <Grid key={JSON.stringify(layout)} store={store} path={path} layout={layout} now={now} />
      )}
    </section>
  )
}

/** Why the tree is empty. */
const none = ({ sessions, session, names }: PageStore): string => {
  const { phase, variables = 0 } = sessions.value.find(({ name }) => name === session.value) ?? {}
  if (names.value !== undefined || phase !== "on disk" || variables === 0) return "There is no variable."
  return `${variables === 1 ? "One variable is" : `${variables} variables are`} on disk: the first evaluation brings ${variables === 1 ? "it" : "them"} back.`
}

export const Variables = ({ store }: { readonly store: PageStore }) => {
  const { path } = store.route.value
  const names = store.names.value
  return (
    <section class="side" aria-label="Variables">
      <nav class="tree" aria-label="Tree of variables">
        <h2>Variables</h2>
        {names === undefined || (names.entries ?? []).length === 0 ? (
          <p class="quiet">{none(store)}</p>
        ) : (
          <Names inspection={names} store={store} />
        )}
        {(names?.others ?? []).map((other) => (
          <Branch key={other} variable={{ name: other, type: 5, kind: "directory", shape: "", preview: "" }} path={other} store={store} />
        ))}
      </nav>
      {path !== "" && <One key={path} store={store} path={path} />}
    </section>
  )
}
