/** Protected files that appear in a root while K code runs: programs outside the fence would obey them later. */
import { execFileSync, spawn } from "node:child_process"
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { searchRoot } from "../../src/platform/rootSearch.ts"
import { RootWatch } from "../../src/platform/RootWatch.ts"
import { quarantine } from "../../src/platform/quarantine.ts"

let base: string
let root: string
let aside: string
let roots: RootWatch

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "k3-watch-")))
  root = join(base, "root")
  aside = join(base, "aside")
  mkdirSync(join(root, "sub"), { recursive: true })
  mkdirSync(join(root, "there/.git"), { recursive: true })
  roots = new RootWatch(aside)
  roots.watch(await searchRoot(root, false), root, false)
})
afterEach(() => {
  roots.close()
  rmSync(base, { recursive: true, force: true })
})

/** A protected folder that appears well after an evaluation of this engine is told as K code's. */
const appearsAfter = async (engine: number): Promise<void> => {
  const ended = performance.now()
  roots.began(true)
  roots.ended(engine)
  await expect.poll(() => performance.now() - ended > 100).toBe(true)
  mkdirSync(join(root, ".vscode"))
  expect(await told()).toContain(".vscode appeared")
}

const told = async (): Promise<string> => {
  const sentences: string[] = []
  await expect
    .poll(() => {
      sentences.push(...roots.take())
      return sentences
    })
    .not.toEqual([])
  return sentences.join("\n")
}

it("G13 protected paths are found in nested folders, among many, and the folder of a .NET project is one", async () => {
  const deep = Array.from({ length: 200 }, (_, i) => join(root, `folder${i}/in/it`))
  for (const folder of deep) mkdirSync(join(folder, ".git"), { recursive: true })
  const project = join(root, "sub/build")
  mkdirSync(join(project, "bin"), { recursive: true })
  writeFileSync(join(project, "it.csproj"), "")
  const places = [...deep.map((folder) => join(folder, ".git")), join(root, "there/.git")]
  for (const wasRead of [false, true]) {
    expect((await searchRoot(root, false, wasRead)).readOnly.toSorted()).toEqual(places.toSorted())
    expect((await searchRoot(root, true, wasRead)).readOnly.toSorted()).toEqual([...places, project].toSorted())
  }
})

it("a search of a root that was read before lets other work have its turn, and passes what it cannot read", async () => {
  for (let i = 0; i < 200; i++) mkdirSync(join(root, `folder${i}`))
  writeFileSync(join(root, "no folder"), "")
  const order: string[] = []
  setImmediate(() => order.push("other work"))
  const { readOnly } = await searchRoot(root, false, true)
  expect([...order, "found"]).toEqual(["other work", "found"])
  expect(readOnly).toEqual([join(root, "there/.git")])
  expect((await searchRoot(join(root, "no folder"), false, true)).readOnly).toEqual([])
})

/** The folders that this process watches. */
const watched = (): number =>
  readdirSync("/proc/self/fdinfo").flatMap(
    (descriptor) =>
      (existsSync(`/proc/self/fdinfo/${descriptor}`) ? readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1") : "").match(
        /^inotify wd/gm,
      ) ?? [],
  ).length

it.skipIf(process.platform !== "linux")("a search that ends after the watch leaves nothing that is watched", async () => {
  const found = await searchRoot(root, false)
  const before = watched()
  roots.close()
  const left = watched()
  expect(left).toBeLessThan(before)
  roots.watch(found, root, false)
  expect(watched()).toBe(left)
})

describe.skipIf(process.platform !== "linux")("G13 a place that programs outside heed", () => {
  it.each(["", "sub"])("is moved out of the root when it appears while K code runs: in '%s'", async (folder) => {
    roots.began(false)
    writeFileSync(join(root, folder, ".mcp.json"), "planted")
    const sentence = await told()
    expect(sentence).toContain(`${join(root, folder, ".mcp.json")} appeared while K code ran`)
    expect(existsSync(join(root, folder, ".mcp.json"))).toBe(false)
    const [kept] = readdirSync(aside)
    expect(sentence).toContain(kept)
    expect(readFileSync(join(aside, kept!), "utf8")).toBe("planted")
  })

  it("is found in a new folder, and in place of another file", async () => {
    roots.began(true)
    mkdirSync(join(root, "new/deep/.vscode"), { recursive: true })
    expect(await told()).toContain("new/deep/.vscode appeared")
    renameSync(join(root, "there"), join(root, "away"))
    mkdirSync(join(root, "there/.git"), { recursive: true })
    expect(await told()).toContain("there/.git appeared")
    expect(existsSync(join(root, "there/.git"))).toBe(false)
  })

  it.skipIf(process.platform !== "linux").each(["root", "folder around it"])(
    "is moved out of a root that was moved, with the %s",
    async (what) => {
      mkdirSync(join(base, "around/root/sub"), { recursive: true })
      const own = join(base, "around/root")
      roots.watch(await searchRoot(own, false), own, false)
      const moved = what === "root" ? join(base, "around/other") : join(base, "other/root")
      if (what === "root") renameSync(own, moved)
      else renameSync(join(base, "around"), join(base, "other"))
      roots.began(true)
      writeFileSync(join(moved, "sub/.mcp.json"), "")
      expect(await told()).toContain(`${join(moved, "sub/.mcp.json")} appeared while K code ran`)
      expect(readdirSync(join(moved, "sub"))).toEqual([])
      // Another folder at the path is watched from the next launch on.
      mkdirSync(own, { recursive: true })
      roots.watch(await searchRoot(own, false), own, false)
      writeFileSync(join(own, ".envrc"), "")
      expect(await told()).toContain(`${join(own, ".envrc")} appeared while K code ran`)
    },
  )

  it("is found in a root that was moved, after so many changes that the system drops some", async () => {
    const moved = join(base, "moved")
    renameSync(root, moved)
    roots.began(true)
    for (let i = 0; i < 20_000; i++) {
      writeFileSync(join(moved, `a${i % 2}`), "")
      rmSync(join(moved, `a${i % 2}`))
    }
    mkdirSync(join(moved, "sub/.vscode"))
    expect(await told()).toContain("sub/.vscode appeared")
  })

  it("stays where a link in place of a root leads: that is no folder of K code", async () => {
    const [other, second] = [join(base, "other"), join(base, "second")]
    for (const folder of [other, second]) mkdirSync(folder)
    renameSync(root, join(base, "away"))
    symlinkSync(other, root)
    for (const each of [root, second]) roots.watch(await searchRoot(each, false), each, false)
    roots.began(true)
    for (const folder of [other, second]) writeFileSync(join(folder, ".envrc"), "")
    // The system tells of both in their order.
    expect(await told()).toContain(`${join(second, ".envrc")} appeared`)
    expect(existsSync(join(other, ".envrc"))).toBe(true)
  })

  it.each(["removed", "moved"])("is found in a root that was %s and made anew, after the next launch", async (how) => {
    if (how === "moved") renameSync(root, join(base, "away"))
    else rmSync(root, { recursive: true })
    mkdirSync(join(root, "sub"), { recursive: true })
    roots.watch(await searchRoot(root, false), root, false)
    roots.began(true)
    mkdirSync(join(root, ".vscode"))
    writeFileSync(join(root, "sub/.mcp.json"), "planted")
    await expect.poll(() => readdirSync(root)).toEqual(["sub"])
    await expect.poll(() => readdirSync(join(root, "sub"))).toEqual([])
  })

  it("is found in place of a removed one, whose inode it may have", async () => {
    roots.began(true)
    rmSync(join(root, "there/.git"), { recursive: true })
    mkdirSync(join(root, "there/.git"))
    expect(await told()).toContain("there/.git appeared")
    expect(existsSync(join(root, "there/.git"))).toBe(false)
  })

  it("stays when it was there before and its folder was renamed: it is the person's", async () => {
    roots.began(true)
    renameSync(join(root, "there"), join(root, "renamed"))
    expect(await told()).toBe(
      `${join(root, "renamed/.git")} was moved from ${join(root, "there/.git")}, and programs outside of the fence heed it. Look at it if you did not move it.`,
    )
    expect(existsSync(join(root, "renamed/.git"))).toBe(true)
  })

  it("is moved with a renamed folder where the file system has no birth times: it could be K code's, with the inode of a removed one", async () => {
    roots.close()
    // Not by a mock of the file system: files of one worker share their modules.
    roots = new RootWatch(aside, [], undefined, (path) => Object.assign(lstatSync(path), { birthtimeMs: 0 }))
    roots.watch(await searchRoot(root, false), root, false)
    roots.began(true)
    renameSync(join(root, "there"), join(root, "renamed"))
    expect(await told()).toContain("renamed/.git appeared")
    expect(existsSync(join(root, "renamed/.git"))).toBe(false)
  })

  it("stays when it is outside, and K code puts a link to its folder in place of a folder of the root", async () => {
    const home = join(base, "home")
    for (const folder of ["deep/.git", ".vscode"]) mkdirSync(join(home, folder), { recursive: true })
    roots.began(true)
    for (const folder of ["deep", ".vscode"]) mkdirSync(join(root, "sub", folder))
    renameSync(join(root, "sub"), join(root, "other"))
    symlinkSync(home, join(root, "sub"))
    const sentence = await told()
    expect([existsSync(join(home, ".vscode")), existsSync(join(home, "deep/.git"))]).toEqual([true, true])
    expect([sentence, existsSync(join(root, "other/.vscode"))]).toEqual([expect.stringContaining("other/.vscode appeared"), false])
    expect(sentence).not.toContain(join(root, "sub"))
  })

  it("is moved when it had another such name before: other programs heed it now", async () => {
    writeFileSync(join(root, ".npmrc"), "")
    expect(await told()).toContain(".npmrc is new")
    roots.began(true)
    renameSync(join(root, ".npmrc"), join(root, ".envrc"))
    expect(await told()).toContain(".envrc appeared")
    expect(existsSync(join(root, ".envrc"))).toBe(false)
  })

  it("is moved when a launch finds it before the system's notification", async () => {
    roots.began(true)
    mkdirSync(join(root, ".vscode"))
    roots.watch({ readOnly: [join(root, ".vscode")], folders: [root] }, root, false)
    expect(existsSync(join(root, ".vscode"))).toBe(false)
    expect(await told()).toContain(".vscode appeared")
  })

  it("is moved while a process that K code left behind runs, and stays afterwards", async () => {
    roots.close()
    roots = new RootWatch(aside, [], 10)
    roots.watch(await searchRoot(root, false), root, false)
    // As in a fence: an init process, the engine as its child, and a process that the engine started.
    const fence = spawn("sh", ["-c", "sh -c 'sleep 1000 & echo $$ $!; exec cat'; true"], { stdio: ["pipe", "pipe", "inherit"] })
    const said = await new Promise<string>((resolve) => fence.stdout.once("data", (chunk) => resolve(String(chunk))))
    const [engine, left] = said.trim().split(" ").map(Number) as [number, number]
    await appearsAfter(engine)
    process.kill(left, "SIGKILL")
    await expect.poll(() => roots.activity.mayRun()).toBe(false)
    mkdirSync(join(root, ".vscode"))
    expect(await told()).toContain(".vscode is new")
    fence.stdin.end()
  })

  it.each(["there", "deleted"])("is moved while a library that K code loaded is in the engine's memory, its file %s", async (file) => {
    roots.close()
    roots = new RootWatch(join(aside, "deeper"), [], 10)
    roots.watch(await searchRoot(root, false), root, false)
    const library = join(root, "own.dll")
    copyFileSync(/\/\S*\/libm\.so\S*/.exec(readFileSync("/proc/self/maps", "latin1"))![0], library)
    const fence = spawn("sh", ["-c", 'LD_PRELOAD="$0" sh -c "echo \\$\\$; exec cat"; true', library], {
      stdio: ["pipe", "pipe", "inherit"],
    })
    const engine = Number(await new Promise<string>((resolve) => fence.stdout.once("data", (chunk) => resolve(String(chunk)))))
    await expect.poll(() => readFileSync(`/proc/${engine}/comm`, "utf8")).toBe("cat\n")
    await expect.poll(() => readFileSync(`/proc/${engine}/maps`, "latin1")).toContain(library)
    if (file === "deleted") rmSync(library)
    await appearsAfter(engine)
    fence.stdin.end()
  })

  it("is found after so many changes that the system drops some", async () => {
    roots.began(true)
    for (let i = 0; i < 20_000; i++) {
      writeFileSync(join(root, `a${i % 2}`), "")
      rmSync(join(root, `a${i % 2}`))
    }
    mkdirSync(join(root, "sub/.vscode"))
    roots.ended(process.pid)
    expect(await told()).toContain("sub/.vscode appeared")
    expect(existsSync(join(root, "sub/.vscode"))).toBe(false)
  })

  it.each(["sub", "node_modules"])(
    "is named and stays after as many changes while no K code ran, as by npm install: in %s",
    async (folder) => {
      mkdirSync(join(root, "node_modules"))
      roots.close()
      roots = new RootWatch(aside, [join(root, "node_modules/.bin"), join(root, "package.json")])
      roots.watch(await searchRoot(root, false), root, false)
      for (let i = 0; i < 20_000; i++) {
        writeFileSync(join(root, folder, `a${i % 2}`), "")
        rmSync(join(root, folder, `a${i % 2}`))
      }
      writeFileSync(join(root, "draft"), "{}")
      renameSync(join(root, "draft"), join(root, "package.json"))
      expect(await told()).toContain("package.json is new")
      expect(existsSync(join(root, "package.json"))).toBe(true)
    },
  )

  it("is named when it is written to: the person's program may have replaced it since the launch", async () => {
    writeFileSync(join(root, "draft"), "{}")
    renameSync(join(root, "draft"), join(root, ".mcp.json"))
    expect(await told()).toContain(".mcp.json is new")
    roots.began(true)
    appendFileSync(join(root, ".mcp.json"), "planted")
    expect(await told()).toContain(".mcp.json changed while K code ran")
  })

  it("is read-only at a later launch, however many folders were made since", async () => {
    const protectedPlaces = async () => roots.watch(await searchRoot(root, false), root, false)
    mkdirSync(join(root, "z/deep/.git"), { recursive: true })
    expect(await protectedPlaces()).toContain(join(root, "z/deep/.git"))
    for (let i = 0; i < 6000; i++) mkdirSync(join(root, `a${i}`))
    expect(await protectedPlaces()).toContain(join(root, "z/deep/.git"))
    renameSync(join(root, "z/deep"), join(root, "z/away"))
    expect(await protectedPlaces()).not.toContain(join(root, "z/deep/.git"))
  })

  it("is told once not to be noticed in all folders, when there are more than can be watched", async () => {
    for (let i = 0; i < 5001; i++) mkdirSync(join(root, `a${i}`))
    roots.close()
    roots = new RootWatch(aside)
    for (let launch = 0; launch < 2; launch++) roots.watch(await searchRoot(root, false), root, false)
    expect(roots.take()).toEqual([expect.stringContaining("Not all folders of K3_ROOTS are watched: there are more than 5000.")])
  })

  it("is no place for a later launch when it is a link, or a link leads to it: bubblewrap cannot mount over one", async () => {
    symlinkSync(base, join(root, ".claude"))
    expect(await told()).toContain(".claude is new")
    roots.began(true)
    renameSync(join(root, "there"), join(root, "away"))
    symlinkSync(join(root, "away"), join(root, "there"))
    expect(await told()).toContain("away/.git was moved")
    expect(roots.watch(await searchRoot(root, false), root, false)).toEqual([join(root, "away/.git")])
  })

  it("is named and stays when no K code ran: it may be the person's", async () => {
    writeFileSync(join(root, ".envrc"), "")
    expect(await told()).toContain(".envrc is new")
    expect(existsSync(join(root, ".envrc"))).toBe(true)
  })

  it("stays without a notice when it is a folder and the engine makes no folders", async () => {
    roots.began(false)
    mkdirSync(join(root, ".claude"))
    writeFileSync(join(root, ".envrc"), "")
    expect(await told()).not.toContain(".claude")
    expect(existsSync(join(root, ".claude"))).toBe(true)
  })

  it("is named beside at most 19 others, and the rest are counted: K code can make very many", async () => {
    roots.began(true)
    for (let i = 0; i < 100; i++) {
      mkdirSync(join(base, "many/folder", String(i)), { recursive: true })
      writeFileSync(join(base, "many/folder", String(i), ".envrc"), "")
    }
    renameSync(join(base, "many/folder"), join(root, "folder"))
    const lines = (await told()).split("\n")
    expect([lines.length, lines.at(-1), readdirSync(aside).length]).toEqual([
      21,
      expect.stringContaining(`80 more such changes. Files that were moved out of a root are in ${aside}`),
      100,
    ])
  })

  it("any other name is ignored", async () => {
    roots.began(true)
    writeFileSync(join(root, "data"), "")
    writeFileSync(join(root, ".envrc"), "")
    expect(await told()).not.toContain("data")
  })
})

describe.skipIf(process.platform !== "linux")("G13 a folder of the PATH in a root", () => {
  const search = async (...folders: readonly string[]): Promise<void> => {
    roots.close()
    roots = new RootWatch(
      aside,
      folders.map((folder) => join(root, folder)),
    )
    roots.watch(await searchRoot(root, false), root, false)
    roots.began(true)
  }
  const remains = (path: string): boolean => existsSync(join(root, path))

  it.each([["node_modules/.bin"], ["there/deep/bin"]])("is moved out of the root when it appears while K code runs: %s", async (folder) => {
    await search(folder)
    mkdirSync(join(root, "draft", basename(folder)), { recursive: true })
    if (folder.startsWith("there")) renameSync(join(root, "draft"), join(root, "there/deep"))
    else renameSync(join(root, "draft"), join(root, "node_modules"))
    expect(await told()).toContain(`${join(root, folder)} appeared while K code ran`)
    expect(remains(folder)).toBe(false)
  })

  it("is moved when another one is put in its place, and the rest of node_modules is not watched", async () => {
    mkdirSync(join(root, "node_modules/.bin"), { recursive: true })
    mkdirSync(join(root, "node_modules/before"))
    await search("node_modules/.bin")
    for (const folder of ["before", "new"]) mkdirSync(join(root, "node_modules", folder, ".git"), { recursive: true })
    renameSync(join(root, "node_modules/.bin"), join(root, "node_modules/old"))
    mkdirSync(join(root, "node_modules/.bin"))
    const sentence = await told()
    expect(sentence).toContain("node_modules/.bin appeared")
    expect(sentence).not.toContain(".git")
    expect([remains("node_modules/.bin"), remains("node_modules/old"), remains("node_modules/new/.git")]).toEqual([false, true, true])
  })

  it("is not reached by a link that appears on the way to it, or in place of another one", async () => {
    symlinkSync(base, join(root, "profile"))
    await search("node_modules/.bin", "profile/bin")
    mkdirSync(join(root, "own/.bin"), { recursive: true })
    symlinkSync("own", join(root, "node_modules"))
    expect(await told()).toContain("node_modules appeared")
    rmSync(join(root, "profile"))
    symlinkSync("own", join(root, "profile"))
    expect(await told()).toContain("profile appeared")
    expect([remains("node_modules"), remains("profile"), remains("own/.bin")]).toEqual([false, false, true])
  })

  it("is found behind a link of the person, as of pnpm, in another node_modules of the root", async () => {
    mkdirSync(join(root, "store/node_modules"), { recursive: true })
    mkdirSync(join(root, "app"))
    symlinkSync("../store/node_modules", join(root, "app/node_modules"))
    await search("app/node_modules/.bin")
    mkdirSync(join(root, "store/node_modules/.bin"))
    expect(await told()).toContain("store/node_modules/.bin appeared")
    expect(remains("store/node_modules/.bin")).toBe(false)
  })

  it("may be a file that names programs: it is moved, or a write to it is named", async () => {
    writeFileSync(join(root, "package.json"), "{}")
    await search("package.json")
    appendFileSync(join(root, "package.json"), "planted")
    expect(await told()).toContain("package.json changed while K code ran")
    writeFileSync(join(root, "draft"), "planted")
    renameSync(join(root, "draft"), join(root, "package.json"))
    expect(await told()).toContain("package.json appeared")
    expect(remains("package.json")).toBe(false)
  })

  it("is no place for a later launch, since the fence finds it, and stays when it is a root", async () => {
    mkdirSync(join(root, "sub/bin"))
    await search("sub", "sub/bin")
    roots.watch(await searchRoot(join(root, "sub"), false), join(root, "sub"), false)
    expect(roots.watch(await searchRoot(root, false), root, false)).toEqual([join(root, "there/.git")])
    renameSync(join(root, "sub"), join(root, "away"))
    mkdirSync(join(root, "sub/bin"), { recursive: true })
    expect(await told()).toContain("sub/bin appeared")
    expect([remains("sub"), remains("sub/bin")]).toEqual([true, false])
  })

  it("is found after so many changes that the system drops some", async () => {
    await search("node_modules/.bin")
    for (let i = 0; i < 20_000; i++) {
      writeFileSync(join(root, `a${i % 2}`), "")
      rmSync(join(root, `a${i % 2}`))
    }
    mkdirSync(join(root, "node_modules/.bin"), { recursive: true })
    expect(await told()).toContain("node_modules/.bin appeared")
  })
})

const isElsewhere = process.platform === "linux" && existsSync("/dev/shm") && statSync("/dev/shm").dev !== statSync(tmpdir()).dev

describe.skipIf(!isElsewhere)("G13 a place is taken away to another file system", () => {
  let elsewhere: string
  beforeEach(() => {
    elsewhere = mkdtempSync("/dev/shm/k3-aside-")
  })
  afterEach(() => rmSync(elsewhere, { recursive: true, force: true }))

  it.each<[what: string, make: (path: string) => void]>([
    ["a file", (path) => writeFileSync(path, "planted")],
    ["a folder", (path) => (mkdirSync(join(path, "deep"), { recursive: true }), writeFileSync(join(path, "deep/tasks.json"), "planted"))],
    ["a file that is larger than any disk", (path) => (writeFileSync(path, ""), truncateSync(path, 2 ** 42))],
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ])("and gets another name where it is, since K code could put links in it while it is copied, when it is %s", (_, make) => {
    make(join(root, ".envrc"))
    const { ino } = statSync(join(root, ".envrc"))
    const said = quarantine(join(root, ".envrc"), elsewhere)!
    const [, place] = /^moved to (.*\/\.k3-[\d-]+)\. /.exec(said)!
    expect(said).toContain("K code can write there")
    expect(statSync(place!).ino).toBe(ino)
    expect(readdirSync(root).toSorted()).toEqual([basename(place!), "sub", "there"])
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

describe("what is taken away", () => {
  it("in one moment is kept, each by itself, also under the same name", () => {
    for (const folder of ["a", "b"]) {
      mkdirSync(join(root, folder, ".git"), { recursive: true })
      for (const name of [".git/config", ".npmrc"]) writeFileSync(join(root, folder, name), folder)
    }
    const paths = [".git", ".npmrc"].flatMap((name) => ["a", "b"].map((folder) => join(root, folder, name)))
    expect(paths.map((path) => quarantine(path, aside)?.slice(0, 5))).toEqual(Array(4).fill("moved"))
    expect(paths.filter((path) => existsSync(path))).toEqual([])
    expect(readdirSync(aside)).toHaveLength(4)
  })

  it.skipIf(process.platform !== "linux")("is not moved when a link leads to it", () => {
    mkdirSync(join(base, "home/.git"), { recursive: true })
    symlinkSync(join(base, "home"), join(root, "link"))
    expect(quarantine(join(root, "link/.git"), aside)).toBe(undefined)
    expect(existsSync(join(base, "home/.git"))).toBe(true)
  })

  it("gets another name where it is when the folder for it takes nothing, as on a full disk", () => {
    writeFileSync(join(root, ".envrc"), "planted")
    expect(quarantine(join(root, ".envrc"), "/dev/null/aside")).toMatch(/^moved to .*\/\.k3-[\d-]+\. /)
    const [kept, ...others] = readdirSync(root).toSorted()
    expect([readFileSync(join(root, kept!), "utf8"), others]).toEqual(["planted", ["sub", "there"]])
    expect(quarantine(join(root, ".envrc"), "/dev/null/aside")).toBe(undefined)
  })

  it("may have the longest name that there is", () => {
    const path = join(root, `${"é".repeat(126)}.cs`)
    writeFileSync(path, "class A {}")
    expect(quarantine(path, aside)).toMatch(/^moved to /)
    expect(existsSync(path)).toBe(false)
  })
})
