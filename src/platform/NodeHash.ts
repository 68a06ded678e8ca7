/** Effect's `Digest` on `node:crypto`. Effect's own layer would bring ciphers and keys that this server does not use. */
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"

const hash = (algorithm: Digest.Algorithm, data: Uint8Array) => createHash(algorithm.name.replace("-", "").toLowerCase()).update(data)

export const layer: Layer.Layer<Digest.Digest> = Layer.succeed(Digest.Digest, {
  digest: (algorithm, data) => Effect.sync(() => new Uint8Array(hash(algorithm, data).digest())),
  digestHex: (algorithm, data) => Effect.sync(() => hash(algorithm, data).digest("hex")),
})
