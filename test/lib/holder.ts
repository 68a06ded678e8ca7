/** A session's variables, set by a test, for tests of stores. */
import { type Contents, type Variable } from "../../src/child/Contents.ts"
import type { EngineKind } from "../../src/engineKinds.ts"
import type { WorkspaceSource } from "../../src/store/Store.ts"

export const variable = (name: string, image: string): Variable => ({
  path: `.k.${name}`,
  type: 4,
  shape: "",
  bytes: image.length,
  text: "x",
  image,
})

export const imagesOf = (variables: ReadonlyMap<string, Variable>): Record<string, string> =>
  Object.fromEntries([...variables.values()].map(({ path, image }) => [path.slice(3), image!]))

export class Holder implements WorkspaceSource {
  readonly variables = new Map<string, Variable>()
  private changed = new Set<string>()
  contains: number | undefined
  constructor(public engine: EngineKind = "embedded") {}

  set(name: string, image: string | undefined): this {
    if (image === undefined) this.variables.delete(`.k.${name}`)
    else this.variables.set(`.k.${name}`, variable(name, image))
    this.changed.add(`.k.${name}`)
    return this
  }

  get held(): Contents {
    return { variables: this.variables, settings: undefined }
  }

  takeUnsaved() {
    const { held, changed } = this
    this.changed = new Set()
    return { held, changed, contains: this.contains }
  }

  stillUnsaved(changed: ReadonlySet<string>): void {
    for (const path of changed) this.changed.add(path)
  }

  get images(): Record<string, string> {
    return imagesOf(this.held.variables)
  }
}
