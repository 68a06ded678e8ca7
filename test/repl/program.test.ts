/** The `k3` program from a shell. The console is tested in a terminal (`console.test.ts`). */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { k3File, run, scratchFolder, startChild } from "./interpreter.ts"

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as { version: string }

const script = (text: string): { readonly cwd: string; readonly path: string } => {
  const cwd = scratchFolder()
  writeFileSync(join(cwd, "s.k"), text)
  return { cwd, path: "s.k" }
}

describe("P6 --plot", () => {
  it("draws the value of the last statement into a file, and prints the summary", () => {
    const cwd = scratchFolder()
    const drawn = run(["--plot", "a.png", "-e", "`first", "-e", '1+1\n.((`plot;3 1 2);(`mark;`bar);(`title;"Three"))'], { cwd })
    expect(drawn).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^`first\n2\nBar of a vector of 3\.\nAll 3 bars are drawn\./),
      stderr: "",
    })
    expect(readFileSync(join(cwd, "a.png")).subarray(1, 4).toString()).toBe("PNG")
    expect(run(["--plot", "a.svg", "-e", "x*x:!9"], { cwd }).status).toBe(0)
    expect(readFileSync(join(cwd, "a.svg"), "utf8")).toMatch(/^<svg [^]*<\/svg>$/)
  })

  it.each([
    ["a.gif", ["-e", "1 2"], 2, '--plot is "a.gif"; allowed: a file .png or .svg'],
    ["a.png", [], 2, "--plot needs a script or -e CODE"],
    ["a.png", ["--lsp"], 2, "--plot goes with a script or -e"],
    ["a.png", ["-e", "1 2+`a"], 1, "-e:1:4: type error"],
    ["a.png", ["-e", "{x}"], 1, "there is no picture: the value is a function"],
    ["none/a.png", ["-e", "1 2"], 1, "there is no picture: ENOENT"],
  ])("%s with %j ends with %i and says why", (file, more, status, why) => {
    const ended = run(["--plot", file, ...more], { cwd: scratchFolder() })
    expect(ended).toMatchObject({ status, stderr: expect.stringContaining(why) })
  })
})

describe("scripts", () => {
  it("print as the console would, statements of many lines included", () => {
    const { cwd, path } = script("#!/usr/bin/env k3\n/ a comment\na:1 2 3\na\nf:{[x]\n  2*x}\nf a;\n+/a\n`a`b\n")
    expect(run([path], { cwd })).toEqual({ status: 0, stdout: "1 2 3\n6\n`a `b\n", stderr: "" })
  })

  it("end at the first error with code 1, and the error names file, line and column", () => {
    const { cwd, path } = script("1+1\nf:{[x]\n  x+`a}\n\n  (1;\n  f 2)\n`never\n")
    const { status, stdout, stderr } = run([path], { cwd })
    expect({ status, stdout }).toEqual({ status: 1, stdout: "2\n" })
    expect(stderr).toMatch(/^s\.k:6:3: type error/)
    expect(stderr).toContain("  x+`a}\n   ^\n")
  })

  it("report an open bracket or string, with its position", () => {
    const { cwd, path } = script("1\nf:{[x]\n  (x+1\n")
    const { status, stderr } = run([path], { cwd })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^s\.k:3:3: open error/)
  })

  it("see their arguments in _a, and run before the code of -e", () => {
    const { cwd, path } = script("a:_a\n")
    expect(run([path, "-e", "a", "x", "--", "-y"], { cwd }).stdout).toBe('("s.k"\n ,"x"\n "-y")\n')
  })

  it("read standard input by lines, nil at its end", () => {
    const { cwd, path } = script('`0:"? "\nl:0:`\nwhile[~l~_n;`0:,l;l:0:`]\n')
    expect(run([path], { cwd, input: "one\r\n\nthree" })).toEqual({ status: 0, stdout: "? one\n\nthree\n", stderr: "" })
    expect(run([], { cwd, input: "0:`\nx\n" }).stderr).toMatch(/^stdin:1:1: nonce error/)
  })

  it("may end the process with a code of their own", () => {
    const { cwd, path } = script('`0:"bye\\n"\n_exit 7\n')
    expect(run([path], { cwd })).toEqual({ status: 7, stdout: "bye\n", stderr: "" })
  })

  it("that do not exist are an error", () => {
    const { status, stderr } = run(["nowhere.k"])
    expect(status).toBe(1)
    expect(stderr).toMatch(/^k3: nowhere\.k: no such file or directory/)
  })

  it.each(["#!/usr/bin/env k3\n1+1", "\ufeff#!/usr/bin/env k3\r\n1+1\r\n"])(
    "may begin with what is for editors and shells, given, loaded or piped: %j",
    (text) => {
      const { cwd, path } = script(text)
      expect(run([path, "-e", `\\l ${path}`], { cwd })).toEqual({ status: 0, stdout: "2\n2\n", stderr: "" })
      expect(run([], { cwd, input: text })).toEqual({ status: 0, stdout: "2\n", stderr: "" })
    },
  )

  it("that load one another end in a stack error", () => {
    const { cwd, path } = script("f:1\n\\l s.k\n")
    expect(run([path], { cwd }).stderr).toMatch(/^s\.k:2:1: stack error.*\n.*\n\^\nin s\.k:2 < .* more < s\.k:2 < \\l s\.k\n$/)
  })

  it("name the failed line when they are loaded, in a statement of many lines and below calls of such functions", () => {
    const { cwd, path } = script("f:{:[x;1+f x-1;1+`a]}\n(1\n f 20)\n")
    expect(run(["-e", `\\l ${path}`], { cwd }).stderr).toMatch(/in f < f.* < 13 more < s\.k:3 < \\l s\.k\n$/)
  })

  it("load others with \\l", () => {
    const { cwd, path } = script("\\l other\nb+1\n")
    writeFileSync(join(cwd, "other.k"), "b:41\n")
    expect(run([path], { cwd }).stdout).toBe("42\n")
  })
})

describe("code on the command line and on standard input", () => {
  it("-e may be given several times, in one workspace", () => {
    expect(run(["-e", "a:20", "-e", "a+1\na+2"])).toEqual({ status: 0, stdout: "21\n22\n", stderr: "" })
  })

  it.each(["f:{:[x=0;0;1+*f',x-1]};f 1990", 'f:{:[x=0;0;1+. "f[",($x-1),"]"]};f 1990'])("calls nest as deeply as K allows: %s", (code) =>
    expect(run(["-e", code])).toEqual({ status: 0, stdout: "1990\n", stderr: "" }),
  )

  it("calls that nest deeper are a stack error", () => expect(run(["-e", "f:{f x};f 1"]).stderr).toMatch(/stack error/))

  it.each(["!1000000000", 'a:();while[1;a,:,"abc"]', "d:.();i:0;while[1;d[`$$i]:i;i+:1]", "a:,1;while[1;a:(a;a)]"])(
    "memory that is full is a wsfull error: %s",
    (code) => {
      const { status, stderr } = run(["--memory", "32MiB", "-e", code])
      expect(status).toBe(1)
      expect(stderr).toMatch(/^-e:1:\d+: wsfull error/)
    },
  )

  it("-e ends at an error with code 1", () => {
    const { status, stdout, stderr } = run(["-e", "1", "-e", "1+`a", "-e", "2"])
    expect({ status, stdout }).toEqual({ status: 1, stdout: "1\n" })
    expect(stderr).toMatch(/^-e:1:2: type error/)
  })

  it("is UTF-8, in and out", () => {
    expect(run(["-e", '`0:"é日\\n"']).stdout).toBe("é日\n")
  })

  it("standard input is a script when it is no terminal", () => {
    const { status, stdout, stderr } = run([], { input: '1+1\n\nf:{[x]\n  x%0N}\n\n f "a"\n3\n' })
    expect({ status, stdout }).toEqual({ status: 1, stdout: "2\n" })
    expect(stderr).toMatch(/^stdin:6:2: type error/)
  })

  it("a statement on standard input runs when its last line has arrived", async () => {
    const child = spawn(process.execPath, [k3File], { stdio: ["pipe", "pipe", "inherit"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    child.stdin.write("(1\n2")
    child.stdin.write(")\n")
    const printed = await new Promise<string>((resolve) => child.stdout.once("data", (data) => resolve(String(data))))
    expect(printed).toBe("1 2\n")
  })

  it("a statement of many chunks on standard input is one statement, in order", () => {
    const rows = Array.from({ length: 40_000 }, (_, i) => `${i};\n`).join("")
    const { status, stdout, stderr } = run([], { input: `a:(\n${rows}0)\n#a\n1+\`a\n` })
    expect({ status, stdout }).toEqual({ status: 1, stdout: "40001\n" })
    expect(stderr).toMatch(/^stdin:40004:2: type error/)
  })

  it.skipIf(process.platform === "win32")("a script that is a pipe runs", () => {
    const shell = `"${process.execPath}" "${k3File}" <(echo 'f:{x+1}'; echo 'f 2')`
    expect(spawnSync("bash", ["-c", shell], { encoding: "utf8" })).toMatchObject({ status: 0, stdout: "3\n", stderr: "" })
  })

  it("a closed output ends it quietly", () => {
    expect(
      execFileSync("sh", ["-c", `"${process.execPath}" "${k3File}" -e '!1000000' | head -c 3`], { encoding: "utf8", stdio: "pipe" }),
    ).toBe("0 1")
  })

  it.skipIf(process.platform === "win32")("the page of --help ends quietly too when its reader has gone", () => {
    const shell = `"${process.execPath}" "${k3File}" --help | true; exit \${PIPESTATUS[0]}`
    expect(spawnSync("bash", ["-c", shell], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" })
  })

  it.skipIf(process.platform !== "linux")("a full disk behind standard output is said, with exit code 1", () => {
    for (const code of ["!5", "f:{_f x};1"])
      expect(spawnSync("bash", ["-c", `"${process.execPath}" "${k3File}" -e '${code}' > /dev/full`], { encoding: "utf8" })).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^k3: standard output: ENOSPC: no space left on device[^\n]*\n$/),
      })
  })
})

describe("the command line", () => {
  it("--version is the package's", () => expect(run(["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" }))

  it("--help names every flag", () => {
    const { status, stdout } = run(["--help"])
    expect(status).toBe(0)
    for (const flag of ["-e", "--roots", "--closed", "--shell", "--memory", "--mcp", "--version", "K3_HISTORY", "NO_COLOR"])
      expect(stdout).toContain(flag)
  })

  it.each<[args: string[], named: string]>([
    [["--colour"], "--colour"],
    [["-x"], "-x"],
    [["-e"], "-e"],
    [["--shell", "perhaps"], "allow, deny"],
    [["--memory", "much"], "--memory"],
    [["--version=3"], "--version"],
    [["--mcp", "s.k"], "s.k"],
  ])("%j is an error that names it, exit code 2", (args, named) => {
    const { status, stdout, stderr } = run(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toMatch(/^k3: /)
    expect(stderr).toContain(named)
  })

  it("no colour where there is no terminal", () => expect(run(["-e", "1+`a"]).stderr).not.toContain("\x1b"))
})

/** A working folder with links that lead out of it, and a folder outside. */
const folders = () => {
  const outside = scratchFolder()
  writeFileSync(join(outside, "secret"), "s3cret\n")
  const cwd = scratchFolder()
  mkdirSync(join(cwd, "sub"))
  symlinkSync(outside, join(cwd, "way"))
  symlinkSync(join(outside, "new"), join(cwd, "dangling"))
  return { outside, cwd }
}

describe("trust", () => {
  it("K: files below the roots are read and written", () => {
    const { cwd } = folders()
    expect(run(["-e", '"sub/a.txt" 0:("one";"two")', "-e", '0:"sub/../sub/a.txt"'], { cwd }).stdout).toBe('("one"\n "two")\n')
    expect(readFileSync(join(cwd, "sub/a.txt"), "utf8")).toBe("one\ntwo\n")
  })

  it("K: what leads outside of the roots is an access error", async () => {
    const { outside, cwd } = folders()
    const read = `0:"${outside}/secret"`
    const others = [
      '0:"way/secret"',
      '0:"sub/../way/secret"',
      '6:"/etc/passwd"',
      '!".."',
      '_size "way/secret"',
      "\\l way/secret",
      "\\cd ..",
    ]
    const child = await startChild([], cwd)
    for (const code of [read, ...others]) expect([code, (await child.ask(code)).report?.name]).toEqual([code, "access"])
    const { status, stdout, stderr } = run(["-e", read], { cwd })
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(stderr).toContain("access error")
  })

  it("K: nothing is written through a link, a dangling one included", () => {
    const { outside, cwd } = folders()
    expect(run(["-e", '"dangling" 0:,"x"'], { cwd }).stderr).toContain("access error")
    expect(run(["-e", '"way/new" 0:,"x"'], { cwd }).stderr).toContain("access error")
    expect(() => readFileSync(join(outside, "new"))).toThrow("ENOENT")
  })

  it("K: --roots widens the fence", () => {
    const { outside, cwd } = folders()
    expect(run(["--roots", cwd, "--roots", outside, "-e", '0:"way/secret"'], { cwd }).stdout).toBe(',"s3cret"\n')
  })

  it("K: the shell is denied unless it is allowed", () => {
    expect(run(["-e", "\\echo no"]).stderr).toContain("--shell allow")
    expect(run(["--shell", "allow", "-e", "\\echo yes"]).stdout).toBe("yes\n")
  })
})
