/**
 * The editor of K code: CodeMirror with the colours of `pieces.ts`, completion and help from the server.
 *
 * Guarantees: Tab leaves the editor; Enter evaluates code whose brackets are closed, and breaks the line otherwise; the up and down arrows at the
 * first and last line step through earlier code. Does not: evaluate.
 */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, insertNewlineAndIndent } from "@codemirror/commands"
import { bracketMatching } from "@codemirror/language"
import { EditorState, type Extension, Prec, RangeSetBuilder } from "@codemirror/state"
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view"
import { statements } from "../k3/text/statements.ts"
import { nameBefore, systemNameBefore } from "../repl/beforeCursor.ts"
import { active, visible } from "../visible.ts"
import { pieces } from "./pieces.ts"

/** The most completions of one reply (MCP). */
const mostCompletions = 100

export interface EditorParts {
  readonly parent: HTMLElement
  readonly nonce: string
  readonly evaluate: (code: string) => void
  /** Code that was asked before, the newest last. */
  readonly past: () => readonly string[]
  /** Names that begin with `typed`. */
  readonly names: (typed: string) => Promise<readonly string[]>
  readonly systemNames: (typed: string) => Promise<readonly string[]>
  /** Help on a verb or name, as text; empty when there is none. */
  readonly help: (topic: string) => Promise<string>
}

const coloursOf = (state: EditorState) => {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { colour, start, end } of pieces(state.doc.toString()))
    if (colour !== "plain") builder.add(start, end, Decoration.mark({ class: `k-${colour}` }))
  return builder.finish()
}

const colours = ViewPlugin.define(
  (view) => ({
    decorations: coloursOf(view.state),
    update(update: ViewUpdate) {
      if (update.docChanged) this.decorations = coloursOf(update.state)
    },
  }),
  { decorations: ({ decorations }) => decorations },
)

/** Is a bracket or a string left open? */
const isOpen = (code: string): boolean => statements(code).some(({ open }) => open !== undefined)

const completing =
  ({ names, systemNames }: EditorParts) =>
  async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const { text, from } = state.doc.lineAt(pos)
    const line = text.slice(0, pos - from)
    const system = systemNameBefore(line)
    if (system !== undefined) {
      const found = (await systemNames(system)).filter((name) => /^_[a-zA-Z]/.test(name) && name.startsWith(system))
      return { from: pos - system.length, options: found.map((label) => ({ label, type: "function" })), validFor: /^_\w*$/ }
    }
    const { word } = nameBefore(line)
    if (word === "" && !explicit) return null
    const all = await names(word)
    const options = all.filter((name) => name.startsWith(word) && name !== word).map((label) => ({ label, type: "variable" }))
    // With all names of the directory here, the next letters need no other reply, which would undo a choice made meanwhile.
    const validFor = (text: string): boolean => /^[\w.]*$/.test(text) && text.lastIndexOf(".") === word.lastIndexOf(".")
    return { from: pos - word.length, options, ...(all.length > 0 && all.length < mostCompletions && { validFor }) }
  }

/** The name, system name or verb at a position of a line. */
const topicAt = (text: string, at: number): { readonly topic: string; readonly start: number; readonly end: number } | undefined => {
  for (const match of text.matchAll(/_?[A-Za-z][\w.]*|\d[:]|[-+*%|&^<>=!#_~$?@.,:/\\']:?/g)) {
    const end = match.index + match[0].length
    if (match.index <= at && at < end) return { topic: match[0], start: match.index, end }
  }
  return undefined
}

const helping = ({ help }: EditorParts): Extension =>
  hoverTooltip(async (view, pos) => {
    const { text, from } = view.state.doc.lineAt(pos)
    const found = topicAt(text, pos - from)
    if (found === undefined) return null
    const shown = await help(found.topic)
    if (shown === "") return null
    return {
      pos: from + found.start,
      end: from + found.end,
      above: true,
      create: () => {
        const dom = document.createElement("pre")
        dom.className = "help-tip"
        dom.textContent = shown
        return { dom }
      },
    }
  })

/** Steps through earlier code; the unfinished text comes back after the newest. */
class Past {
  private at: number | undefined
  private draft = ""

  constructor(private readonly all: () => readonly string[]) {}

  step(view: EditorView, by: -1 | 1): boolean {
    const { state } = view
    const line = state.doc.lineAt(state.selection.main.head).number
    if (!state.selection.main.empty || line !== (by < 0 ? 1 : state.doc.lines)) return false
    const all = this.all()
    const next = (this.at ?? all.length) + by
    if (next < 0 || next > all.length || (by > 0 && this.at === undefined)) return false
    if (this.at === undefined) this.draft = state.doc.toString()
    this.at = next === all.length ? undefined : next
    const text = this.at === undefined ? this.draft : all[next]!
    view.dispatch({ changes: { from: 0, to: state.doc.length, insert: text }, selection: { anchor: text.length } })
    return true
  }

  forget(): void {
    this.at = undefined
  }
}

export const makeEditor = (parts: EditorParts): EditorView => {
  const past = new Past(parts.past)
  const evaluate = (view: EditorView, anyway: boolean): boolean => {
    const code = view.state.doc.toString()
    if (code.trim() === "") return true
    if (!anyway && isOpen(code)) return insertNewlineAndIndent(view)
    past.forget()
    parts.evaluate(code)
    view.dispatch({ changes: { from: 0, to: view.state.doc.length } })
    return true
  }
  const keys = [
    { key: "Mod-Enter", run: (view: EditorView) => evaluate(view, true) },
    { key: "Shift-Enter", run: insertNewlineAndIndent },
    { key: "Enter", run: (view: EditorView) => evaluate(view, false) },
    { key: "ArrowUp", run: (view: EditorView) => past.step(view, -1) },
    { key: "ArrowDown", run: (view: EditorView) => past.step(view, 1) },
  ]
  return new EditorView({
    parent: parts.parent,
    extensions: [
      EditorView.cspNonce.of(parts.nonce),
      // While the list of completions is open, Enter and the arrows belong to it.
      Prec.highest(keymap.of(completionKeymap)),
      Prec.high(keymap.of(keys)),
      keymap.of([...closeBracketsKeymap, ...historyKeymap, ...defaultKeymap]),
      history(),
      drawSelection(),
      highlightSpecialChars({
        specialChars: active,
        render: (code) => Object.assign(document.createElement("span"), { textContent: visible(String.fromCharCode(code)) }),
      }),
      bracketMatching({ brackets: "()[]{}" }),
      closeBrackets(),
      EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["(", "[", "{", '"'] } }]),
      autocompletion({
        override: [completing(parts)],
        defaultKeymap: false,
        icons: false,
        aboveCursor: true,
        // Enter runs the code unless an arrow has chosen a completion.
        selectOnOpen: false,
        interactionDelay: 0,
      }),
      helping(parts),
      colours,
      EditorView.lineWrapping,
      placeholder("K code: Enter runs it, Shift+Enter breaks the line"),
      EditorView.contentAttributes.of({ "aria-label": "K code" }),
    ],
  })
}
