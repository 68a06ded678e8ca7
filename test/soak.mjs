/**
 * The soak: many sessions on one built server, worked, cancelled, killed, reloaded and reset at random for as long as one likes, the server
 * itself closed and killed now and then and started again on its state. A model knows every value that each variable ever had, and since which
 * evaluation and time: an older value is excused only when a reply names the variable, or says that it goes back so far.
 *
 * Usage: node test/soak.mjs [MINUTES [SEED]]. It ends with a table; exit code 1 when a name was lost or changed without a word about
 * it, a call had no reply, or a process or a temporary file was left.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { ourServer, residentMB, startServer } from "../bench/measure.mjs"

/** A call without a reply for this long is one that never comes, ms. */
const PATIENCE = 60_000

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
const randomFrom = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let x = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
}

/** The built server on a folder, and the calls it did not answer. */
const serve = (folder, engine) => {
  const temporary = join(folder, "temporary")
  mkdirSync(temporary, { recursive: true })
  const server = startServer(
    [ourServer, ...engine, "--state-dir", join(folder, "state"), "--persist-every", "10", "--restart-crashes", "1000"],
    { cwd: folder, env: { TMPDIR: temporary } },
  )
  let missing = 0
  return {
    ...server,
    missing: () => missing,
    call: async (name, args) => {
      let late
      const never = new Promise((resolve) => {
        late = setTimeout(() => {
          missing++
          resolve({ ok: false, error: { name: "missing", text: `no reply to ${name} ${JSON.stringify(args)}` } })
        }, PATIENCE)
      })
      const reply = await Promise.race([server.call(name, args), never])
      clearTimeout(late)
      return reply
    },
    /** A call that is cancelled after a while. Its reply, if it came before. */
    cancelled: async (name, args, afterMs) => {
      const { cancel, reply } = server.sent("tools/call", { name, arguments: args })
      const result = await Promise.race([reply, wait(afterMs)])
      if (result === undefined) cancel()
      return result?.structuredContent
    },
  }
}

/** The first, the last, the least and the greatest. */
const spread = (numbers) => `${numbers[0]} … ${numbers.at(-1)} (${Math.min(...numbers)} to ${Math.max(...numbers)})`
const short = (text) => (text === null ? "not there" : text.length > 40 ? `${text.slice(0, 40)}…` : text)
const descriptors = (pid) => readdirSync(`/proc/${pid}/fd`).length
/** One that ended may have left its id to somebody else's: ours name the folder that they work in. */
const isAlive = (pid, folder) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder)
  } catch {
    return false
  }
}
const filesBelow = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

const nothingExcused = () => ({ evaluation: Infinity, time: Infinity, all: false, names: new Set() })
const unitMs = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 }

/** Takes from the text of a reply how far the variables may have gone back. `evaluations`: the number of those before the reply. */
const excuse = (excused, text, evaluations, now) => {
  for (const [, n] of text.matchAll(/as of (\d+) evaluations? ago/g))
    excused.evaluation = Math.min(excused.evaluation, evaluations - Number(n ?? 0))
  for (const [, n] of text.matchAll(/as (?:it was|they were) (?:(\d+) evaluations? )?before this call/g))
    excused.evaluation = Math.min(excused.evaluation, evaluations - Number(n ?? 0))
  // The reply rounds the time.
  for (const [, n, unit] of text.matchAll(/from disk, as of ([\d.]+) (ms|s|min|h) ago/g))
    excused.time = Math.min(excused.time, now - (Number(n) + 1) * unitMs[unit] - 1000)
  if (/Variables from before are gone|All variables are lost/.test(text)) excused.all = true
}

/**
 * Adds an excuse. After an earlier one, a variable may have been assigned before the model read the value that had come back. So an excuse that goes
 * back to before all variables were read takes in the earlier one.
 */
const addExcuse = (session, one) => {
  if (one.evaluation === Infinity && one.time === Infinity && !one.all && one.names.size === 0) return
  for (const back of session.backs.toReversed()) if (one.evaluation <= back.at || one.time <= back.now) widen(one, back.one)
  session.backs = [...session.backs.slice(-20), { one, at: Infinity, now: Infinity }]
  widen(session.excused, one)
}

/** All variables were read. */
const haveRead = (session) => {
  session.backs = session.backs.map(({ one, at, now }) => ({
    one,
    at: Math.min(at, session.evaluations),
    now: Math.min(now, performance.now()),
  }))
  session.said = ""
  session.excused = nothingExcused()
}

const widen = (to, from) => {
  to.evaluation = Math.min(to.evaluation, from.evaluation)
  to.time = Math.min(to.time, from.time)
  to.all ||= from.all
  for (const name of from.names) to.names.add(name)
}

/** Whether a variable may have this value: it was its value since the moment to which the variables may have gone back. */
const isExcused = (excused, name, values, present) => {
  if (present === null && (excused.all || excused.names.has(`.k.${name}`))) return true
  if (excused.names.has(`.k.${name}`)) return values.some(({ value }) => value === present)
  const from = values.findLastIndex(({ evaluation, time }) => evaluation <= excused.evaluation && time <= excused.time)
  return (
    values.slice(Math.max(0, from)).some(({ value }) => value === present) && (excused.evaluation < Infinity || excused.time < Infinity)
  )
}

/** One session as the model knows it. */
const makeSession = (name) => ({
  name,
  /**
   * Every value each variable had since the last reset, as it prints, with the number of the evaluation and the time, ms, at which it began; the
   * last one is the present. Null where it was not there.
   */
  values: new Map(),
  /** Evaluations with a result. The server counts these and a few that were ended early, so it never counts fewer. */
  evaluations: 0,
  /** The notices of the replies since the last check: the evaluation and the time to which the variables may have gone back, and the lost names. */
  excused: nothingExcused(),
  /** The same of each reply that said anything, with the evaluation and time at which all variables had been read after it. */
  backs: [],
  /** All that its replies said since the variables were last checked. */
  said: "",
  /** The last things that happened to it, for a complaint to show. */
  last: [],
})

/** Remembers an event of a session, with its time. */
const remember = (session, event) => {
  session.last.push(`${new Date().toISOString().slice(14, 23)} ${event}`)
  if (session.last.length > 40) session.last.shift()
}

const soak = async ({ seconds, seed, sessions: count = 5, engine = ["--engine", "embedded"] }) => {
  const random = randomFrom(seed)
  const below = (n) => Math.floor(random() * n)
  const folder = mkdtempSync(join(tmpdir(), "k3-soak-"))
  const tally = { calls: 0, evaluations: 0, cancels: 0, deadlines: 0, deaths: 0, reloads: 0, resets: 0, restarts: 0, "server kills": 0 }
  const names = { restored: 0, "lost, and said": 0, "older, and said": 0, unexplained: 0 }
  const complaints = []
  const pids = new Set()
  /** Of each life of the server: at its start, when every session was read, and at its end. */
  const lives = []
  let missing = 0
  const open = []
  let server = serve(folder, engine)
  await server.initialize()
  const measured = () => ({ mib: Math.round(residentMB(server.pid)), descriptors: descriptors(server.pid) })

  const call = (name, args) => {
    tally.calls++
    return server.call(name, args)
  }
  /** Every reply may say that variables are other ones: none is passed over. */
  const heard = (session, reply) => {
    const { notice = "", error, restored = 0, lost = [] } = reply
    names.restored += restored
    remember(session, JSON.stringify(reply).slice(0, 400))
    const text = `${notice} ${error?.text ?? ""}`
    session.said += ` ${text} ${lost.map((each) => `${each.name} ${each.reason}`).join(" ")}`
    const one = nothingExcused()
    excuse(one, text, session.evaluations, performance.now())
    for (const each of lost) one.names.add(each.name)
    addExcuse(session, one)
    if (reply.ok === true || error?.name === "value" || error?.name === "type") session.evaluations++
    return reply
  }
  const evaluate = async (session, code, rest = {}) => {
    tally.evaluations++
    remember(session, `k_eval ${code} ${JSON.stringify(rest)}`)
    return heard(session, await call("k_eval", { code, session: session.name, ...rest }))
  }

  const expressions = [
    () => `!${below(1000)}`,
    () => `"${"abc xyz".slice(below(4))}"`,
    () => `(1;"a";\`b;${below(100)}.5 2)`,
    () => `${below(1e6)}`,
    () => `.((\`a;${below(9)});(\`b;!${below(9)}))`,
    () => `{x+${below(99)}}`,
  ]
  const assign = async (session) => {
    const name = `v${below(8)}`
    // With a semicolon at its end an assignment prints nothing, on either engine.
    const { ok, output, error } = await evaluate(session, `${name}:${expressions[below(expressions.length)]()};\n5:${name}`)
    // A child that was ended a moment ago is told of by whoever comes next.
    if (error?.name === "crash") return check(session)
    if (ok !== true) return complaints.push(`assigning ${name} in ${session.name} failed: ${error?.text}`)
    give(session, name, output.trim())
  }

  const give = (session, name, value) => {
    const values = session.values.get(name) ?? [{ value: null, evaluation: -1, time: 0 }]
    session.values.set(name, [...values, { value, evaluation: session.evaluations, time: performance.now() }])
  }

  /** Reads every variable, and judges by the notices since the last check. */
  const check = async (session) => {
    for (const [name, values] of session.values) {
      let reply = await evaluate(session, `5:${name}`)
      // A child that was just ended is told of in the reply that meets it; the next one has the variables.
      for (let more = 0; more < 3 && reply.ok !== true && reply.error.name !== "value"; more++) reply = await evaluate(session, `5:${name}`)
      const { ok, output } = reply
      const { said } = session
      const present = ok === true ? output.trim() : null
      if (present === values.at(-1).value) continue
      const explained = isExcused(session.excused, name, values, present)
      names[!explained ? "unexplained" : present === null ? "lost, and said" : "older, and said"]++
      if (!explained)
        complaints.push(
          `${session.name}.${name} is ${short(present)}, was ${short(values.at(-1).value)}; excused: ${JSON.stringify(session.excused)}; evaluations: ${session.evaluations}; values: ${JSON.stringify(values.slice(-6))}; said: ${said.trim() || "nothing"}\n${session.last.join("\n")}`,
        )
      give(session, name, present)
    }
    haveRead(session)
  }

  const pidOf = async (session) => (await call("k_status", { session: session.name })).pid

  const killChild = async (session, quiet) => {
    const pid = await pidOf(session)
    if (pid === undefined) return
    pids.add(pid)
    // Assigned variables are captured when the session has been idle for a moment.
    if (quiet) await wait(400)
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      return
    }
    tally.deaths++
    remember(session, `killed ${pid}`)
    if (!quiet) await evaluate(session, "0")
    await check(session)
  }

  const work = async (session) => {
    const dice = random()
    if (dice < 0.45) return assign(session)
    if (dice < 0.6) return check(session)
    if (dice < 0.7) {
      tally.deadlines++
      const { error } = await evaluate(session, "i:0;while[1;i+:1]", { timeout_ms: 20 + below(60) })
      if (error?.name === "crash") return check(session)
      if (error?.name !== "deadline") complaints.push(`a deadline ended in ${JSON.stringify(error)}`)
      return check(session)
    }
    if (dice < 0.78) {
      tally.cancels++
      remember(session, "cancel")
      const reply = await server.cancelled("k_eval", { code: "i:0;while[1;i+:1]", session: session.name }, below(40))
      if (reply !== undefined) heard(session, reply)
      return
    }
    if (dice < 0.86) {
      await evaluate(session, "v0:`undone\n1+`a", { rollback: true })
      return check(session)
    }
    if (dice < 0.95) return killChild(session, random() < 0.5)
    if (dice < 0.985) {
      tally.reloads++
      remember(session, "k_reload")
      const reply = heard(session, await call("k_reload", { session: session.name }))
      if (reply.ok !== true) complaints.push(`reloading ${session.name} failed: ${reply.error?.text}`)
      return check(session)
    }
    tally.resets++
    remember(session, "k_reset")
    const { ok, error } = heard(session, await call("k_reset", { session: session.name }))
    if (ok !== true) return complaints.push(`resetting ${session.name} failed: ${error?.text}`)
    session.backs = []
    // From now on each name is unknown, and no notice excuses a value from before.
    for (const name of session.values.keys())
      session.values.set(name, [{ value: null, evaluation: session.evaluations, time: performance.now() }])
    return check(session)
  }

  const begun = performance.now()
  const left = () => seconds * 1000 - (performance.now() - begun)
  for (let n = 0; n < count; n++) open.push(makeSession(`s${n}`))
  const turn = Math.min(20_000, (seconds * 1000) / 4)
  for (const session of open) await assign(session)
  while (left() > 0) {
    const start = measured()
    const until = performance.now() + Math.min(turn, left())
    await Promise.all(
      open.map(async (session) => {
        while (performance.now() < until) await work(session)
      }),
    )
    lives.push({ start, end: measured() })
    for (const session of open) pids.add(await pidOf(session))
    for (const session of open) remember(session, "server ends")
    const forced = random() < 0.3
    if (forced) tally["server kills"]++
    else tally.restarts++
    missing += server.missing()
    await (forced ? server.kill() : server.close())
    server = serve(folder, engine)
    await server.initialize()
    for (const session of open) {
      if (forced) session.said += " what was not written before the server was killed"
      // A session that was not written yet begins empty, and has nothing to say.
      const first = forced ? await evaluate(session, "0") : undefined
      if (first?.ok === true && first.restored === undefined) session.excused.all = true
      await check(session)
    }
  }
  for (const session of open) pids.add(await pidOf(session))
  missing += server.missing()
  await server.close()
  if (missing > 0) complaints.push(`${missing} calls without a reply`)
  await wait(200)
  const stillThere = [...pids].filter((pid) => pid !== undefined && isAlive(pid, folder))
  if (stillThere.length > 0) complaints.push(`processes left: ${stillThere.join(" ")}`)
  const temporary = filesBelow(join(folder, "temporary"))
  if (temporary > 0) complaints.push(`${temporary} temporary files left`)
  const state = filesBelow(join(folder, "state"))
  rmSync(folder, { recursive: true, force: true })
  if (names.unexplained > 0) complaints.push(`${names.unexplained} names changed without a word`)
  const table = [
    ["seconds", seconds],
    ["seed", seed],
    ["sessions", count],
    ...Object.entries(tally),
    ...Object.entries(names).map(([what, n]) => [`names ${what}`, n]),
    ["replies missing", missing],
    ["server memory, MiB, start of its lives", spread(lives.map(({ start }) => start.mib))],
    ["server memory, MiB, end of its lives", spread(lives.map(({ end }) => end.mib))],
    ["server descriptors, start of its lives", spread(lives.map(({ start }) => start.descriptors))],
    ["server descriptors, end of its lives", spread(lives.map(({ end }) => end.descriptors))],
    ["processes left", stillThere.length],
    ["temporary files left", temporary],
    ["files in the state folder", state],
  ]
  return { table, complaints }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const minutes = Number(process.argv[2] ?? 30)
  const seed = Number(process.argv[3] ?? Date.now() % 1e9)
  const engine = process.env.K3_BUILD_DIR
    ? ["--engine", process.env.K3_ENGINE ?? "k3csharp", "--build-dir", process.env.K3_BUILD_DIR]
    : undefined
  const { table, complaints } = await soak({ seconds: minutes * 60, seed, ...(engine && { engine }) })
  for (const [what, value] of table) console.log(`${String(what).padEnd(46)} ${value}`)
  for (const complaint of complaints.slice(0, 20)) console.log(`NOT WELL: ${complaint}`)
  process.exitCode = complaints.length === 0 ? 0 : 1
}
