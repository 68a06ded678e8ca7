/**
 * Loops in WebAssembly, for work that ends before the host has compiled a JavaScript loop for it, such as 40,000 ints.
 *
 * Their source is in `*.wat`; `test/k3/primitives/webAssembly.test.ts` assembles it into the bytes in `*.wasm.ts`.
 */

/** The part of the host's API in use: the language's own types do not have it. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

const PAGE = 1 << 16

const bytesOf = (hexadecimal: string): Uint8Array => Uint8Array.from(hexadecimal.match(/../g)!, (byte) => Number.parseInt(byte, 16))

/** A memory, and the functions of some code, which work on it. */
export interface Assembly<Functions> {
  readonly memory: ArrayBuffer
  readonly functions: Functions
}

/** The functions in the code, with a memory of at least `bytes` bytes. `Functions`: the exports named in the code's source. */
export const assembly = <Functions>(hexadecimal: string, bytes: number): Assembly<Functions> => {
  const module = new WebAssembly.Module(bytesOf(hexadecimal))
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) })
  return { memory: memory.buffer, functions: new WebAssembly.Instance(module, { "": { memory } }).exports as Functions }
}
