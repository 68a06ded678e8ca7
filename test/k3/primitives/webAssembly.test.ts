/** The bytes of each assembly are those of its source: `npx vitest run test/k3/primitives/webAssembly.test.ts -u` writes them. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import wabt from "wabt"

const folder = fileURLToPath(new URL("../../../src/k3/primitives", import.meta.url))
const texts = readdirSync(folder).filter((name) => name.endsWith(".wat"))

it.each(texts)("the bytes of %s", async (name) => {
  const code = (await wabt()).parseWat(name, readFileSync(`${folder}/${name}`, "utf8"), { simd: true }).toBinary({}).buffer
  await expect(
    `/** \`${name}\`, assembled by test/k3/primitives/webAssembly.test.ts. */\nexport const hexadecimal =\n  "${Buffer.from(code).toString("hex")}"\n`,
  ).toMatchFileSnapshot(`${folder}/${name.replace(".wat", ".wasm.ts")}`)
})
