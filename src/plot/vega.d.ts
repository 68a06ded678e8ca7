/** Declares the few names of Vega that are used: Vega's own types take the type checker seconds. */
declare module "vega" {
  export interface Loader {
    load: (uri: string) => Promise<string>
    sanitize: (uri: string, options: unknown) => Promise<{ href: string }>
  }
  export interface Logger {
    level: (level?: number) => unknown
    error: (...words: readonly unknown[]) => Logger
    warn: (...words: readonly unknown[]) => Logger
    info: (...words: readonly unknown[]) => Logger
    debug: (...words: readonly unknown[]) => Logger
  }
  export const parse: (spec: object, config?: object | null, options?: { readonly ast: true }) => object
  export const scheme: (name: string) => (share: number) => string
  export class View {
    constructor(runtime: object, options: { renderer: "none"; expr?: unknown; loader: Loader; logger: Logger })
    runAsync(): Promise<View>
    toSVG(): Promise<string>
    data(name: string): readonly object[]
    finalize(): View
  }
}

declare module "vega-lite" {
  import type { Logger } from "vega"
  export const compile: (spec: object, options: { readonly logger: Logger }) => { readonly spec: object }
}

declare module "vega-interpreter" {
  export const expressionInterpreter: unknown
}

declare module "@resvg/resvg-wasm" {
  export const initWasm: (bytes: Uint8Array) => Promise<void>
  export class Resvg {
    constructor(
      svg: string,
      options: {
        readonly background?: string
        readonly fitTo?: { readonly mode: "width"; readonly value: number }
        readonly font?: {
          readonly fontBuffers: readonly Uint8Array[]
          readonly defaultFontFamily: string
          readonly sansSerifFamily?: string
        }
      },
    )
    readonly width: number
    readonly height: number
    render(): { readonly width: number; readonly height: number; readonly pixels: Uint8Array; free(): void }
    free(): void
  }
}
