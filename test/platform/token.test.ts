/** N3, G6: the folder of the tokens. */
import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { tokenText } from "../../src/platform/token.ts"
import { scratchFolder } from "../repl/interpreter.ts"

it.skipIf(process.platform === "win32")(
  "N3 G6 a folder that other users own or may write to holds no token: they could have put theirs there",
  () => {
    const state = join(scratchFolder(), "state")
    mkdirSync(state)
    for (const mode of [0o777, 0o720, 0o702]) {
      chmodSync(state, mode)
      expect(() => tokenText(state)).toThrow(`${state} may be written by other users`)
    }
    chmodSync(state, 0o755)
    if (process.getuid!() === 0) {
      chownSync(state, 65534, 65534)
      expect(() => tokenText(state)).toThrow(`${state} belongs to another user`)
      chownSync(state, 0, 0)
    }
    expect(existsSync(join(state, "token"))).toBe(false)
    expect(tokenText(state)).toBe(tokenText(state))
    expect(statSync(join(state, "token")).mode & 0o777).toBe(0o600)
  },
)
