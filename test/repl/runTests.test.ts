/** `k3 --test` from a shell. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { run, scratchFolder } from "./interpreter.ts"

const files = (all: Readonly<Record<string, string>>): string => {
  const cwd = scratchFolder()
  for (const [name, text] of Object.entries(all)) writeFileSync(join(cwd, name), text)
  return cwd
}

const good =
  "/ sums\n> a:1 2 3\n> +/a\n6\n> a+`b\ntype error\na+`b\n ^\n> a\n1 2 3\n\n/ a workspace of its own\n> a\nvalue error: a has no value\na\n^\n"

it("H6 runs every case in a fresh workspace and counts them", () => {
  const cwd = files({ "a.k": good, "b.jsonl": '{"id":"b","code":"1+1\\n\\"é\\"","expected":"2\\n\\"\\\\303\\\\251\\""}' })
  const { status, stdout, stderr } = run(["--test", "a.k", "b.jsonl"], { cwd })
  expect({ stdout, stderr, status }).toEqual({ stdout: "3 passed, 0 failed\n", stderr: "", status: 0 })
})

it("H4 an error after output without a newline begins a line of its own, as in a reply of the server", () => {
  const { status, stdout } = run(["--test", "a.k"], { cwd: files({ "a.k": '> `0:"x"\n> 1+`a\nx\ntype error\n1+`a\n ^\n' }) })
  expect({ status, stdout }).toEqual({ status: 0, stdout: "1 passed, 0 failed\n" })
})

it("H6 shows the expected and the actual output of each failed case, and ends with code 1", () => {
  const cwd = files({ "a.k": "/ sums\n> +/1 2 3\n7\n> 1\n1\n> 2\n> `c\n\n> _exit 3\n\n> 1\n1\n" })
  const { status, stdout } = run(["--test", "a.k"], { cwd })
  expect(stdout).toContain("a.k:1: sums\n> +/1 2 3\nexpected\n  7\ngot\n  6\n> 2\n> `c\nexpected\n  (nothing)\ngot\n  2\n  `c\n")
  expect(stdout).toMatch(/a\.k:9: line 9\n> _exit 3\nexpected\n {2}\(nothing\)\ngot\n {2}exit error/)
  expect(stdout).toMatch(/\n1 passed, 2 failed\n$/)
  expect(status).toBe(1)
})

it.each([
  [["--test", "nowhere.k"], /^k3: nowhere\.k: no such file or directory\n$/],
  [["--test", "words.txt"], /^k3: words\.txt:2: a case begins with/],
  [["--test"], /--test needs a file/],
  [["--test", "-e", "1"], /--test takes files/],
])("H6 %j cannot be read: code 2", (args, why) => {
  const cwd = files({ "words.txt": "\nwords\n" })
  const { status, stderr } = run(args, { cwd })
  expect(stderr).toMatch(why)
  expect(status).toBe(2)
})

it.skipIf(process.platform === "win32")("H6 an endless file, of cases or as a script, is an error that says what to do", () => {
  const why = "k3: /dev/zero: it is endless, or longer than 256 MB; name a file with an end, or split this one\n"
  const runs = [run(["--test", "/dev/zero"], { cwd: files({}) }), run(["/dev/zero"], { cwd: files({}) })]
  expect(runs.map(({ status, stderr }) => [status, stderr])).toEqual([
    [2, why],
    [1, why],
  ])
})

it("H6 runs the readable files if another file cannot be read", () => {
  const { status, stdout } = run(["--test", "nowhere.k", "a.k"], { cwd: files({ "a.k": good }) })
  expect({ status, stdout }).toEqual({ status: 2, stdout: "2 passed, 0 failed\n" })
})
