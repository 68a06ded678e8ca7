/**
 * Loops in WebAssembly, for what is over before the host has compiled a loop of JavaScript: 40,000 ints are.
 *
 * Their text is in `*.wat`; the bytes in `*.wasm.ts` are assembled from it by `test/k3/primitives/webAssembly.test.ts`.
 */

/** What is used of the host's own: the language's types do not know it. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

const PAGE = 1 << 16

const bytesOf = (hexadecimal: string): Uint8Array => Uint8Array.from(hexadecimal.match(/../g)!, (byte) => Number.parseInt(byte, 16))

/** Makes a memory of at least so many bytes, and the functions that the code exports, working on it. */
export type Assembly<Functions> = (bytes: number) => { readonly memory: ArrayBuffer; readonly functions: Functions }

/** `Functions` is what the code's text says that it exports. It is compiled when first used. */
export const assembly = <Functions>(hexadecimal: string): Assembly<Functions> => {
  let module: object | undefined
  return (bytes) => {
    module ??= new WebAssembly.Module(bytesOf(hexadecimal))
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) })
    return { memory: memory.buffer, functions: new WebAssembly.Instance(module, { "": { memory } }).exports as Functions }
  }
}
