/** The variables of a session as a tree, and details of the variable that the address names: figures, text, rows. */
import { useEffect, useRef, useState } from "preact/hooks"
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

/** For the entry that the address names. */
const current = (store: PageStore, path: string | undefined): "true" | undefined => (store.route.value.path === path ? "true" : undefined)

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

/** The value in short; the end, too, of a long one. */
const Preview = ({ value: { preview, tail } }: { readonly value: VariableDetail }) => (
  <Printed look="output" text={tail === undefined ? preview : `${preview}\n… ${tail}`} />
)

/** A text that changes with the value. */
const versionOf = ({ value, entries }: InspectionReply): string => JSON.stringify([value, entries])

/** The sentence on a dictionary of which not all entries are listed. */
const omittedText = (listed: number, omitted: number, layout: Layout | undefined): string =>
  layout === undefined
    ? "It is no table: its entries are in the tree."
    : `The first ${figure(listed)} of ${figure(listed + omitted)} entries, as columns; all are in the tree.`

interface WatchedRowsParts {
  readonly store: PageStore
  readonly path: string
  readonly layout: Layout
  /** A new version makes the rows be read again. */
  readonly version: string
}

/** Rows for a login that may only watch: it makes no copy, so each row is read when it comes into view. Another layout needs another `key`. */
const WatchedRows = ({ store, path, layout, version }: WatchedRowsParts) => {
  const [reader] = useState(
    () => new Reader({ path, session: store.session.value, layout }, async (args) => (await store.call("k_rows", args)).structured),
  )
  useEffect(() => () => reader.close(), [])
  const isHere = store.link.value === "here"
  useEffect(() => void (isHere && reader.open().then(() => reader.pages.renew())), [version, isHere])
  return (
    <div class="gridded">
      <Live reader={reader} />
    </div>
  )
}

interface TableParts {
  readonly store: PageStore
  readonly inspection: InspectionReply
  readonly path: string
  readonly layout: Layout
}

const Table = ({ store, inspection, path, layout }: TableParts) => {
  const version = versionOf(inspection)
  if (!store.mayChange.value) return <WatchedRows store={store} path={path} layout={layout} version={version} />
  // While an evaluation or a capture runs, the inspection may be incomplete: it is not compared.
  return <Grid store={store} path={path} layout={layout} now={isPassing(inspection) ? undefined : version} />
}

/** The variable at a path. */
const Details = ({ store, path }: { readonly store: PageStore; readonly path: string }) => {
  const inspection = useInspection(store, path, true)
  const lastLayout = useRef<Layout | undefined>(undefined)
  if (inspection === undefined) return null
  const { value, entries = [], notice, omitted = 0 } = inspection
  // A table stays, with its filter and order, while its variable has no value: after a reset, a restart or a restore it may come back.
  const layout = layoutOf(inspection) ?? (isPassing(inspection) ? lastLayout.current : undefined)
  lastLayout.current = layout
  return (
    <section class="one" aria-label={path}>
      <h2>{path}</h2>
      {notice !== undefined && <p class="quiet">{omitted === 0 ? notice : omittedText(entries.length, omitted, layout)}</p>}
      {value !== undefined && <Figures value={value} />}
      {value?.text !== undefined && (
        <pre class="code">
          <Code text={value.text} />
        </pre>
      )}
      {value !== undefined && value.text === undefined && layout === undefined && <Preview value={value} />}
      {layout !== undefined && <Table key={JSON.stringify(layout)} store={store} inspection={inspection} path={path} layout={layout} />}
    </section>
  )
}

/** The sentence on an empty tree. */
const emptyText = ({ sessions, session, names }: PageStore): string => {
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
          <p class="quiet">{emptyText(store)}</p>
        ) : (
          <Names inspection={names} store={store} />
        )}
        {(names?.others ?? []).map((other) => (
          <Branch key={other} variable={{ name: other, type: 5, kind: "directory", shape: "", preview: "" }} path={other} store={store} />
        ))}
      </nav>
      {path !== "" && <Details key={path} store={store} path={path} />}
    </section>
  )
}
