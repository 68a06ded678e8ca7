/** `compose.yaml` and the Kubernetes manifest: what they tell the program is what it understands. Runs neither. */
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { whyNotMember } from "../src/platform/exposure.ts"
import { namesGiven, resolve } from "../src/Settings.ts"

const root = join(import.meta.dirname, "..")
const textOf = (path: string): string => readFileSync(join(root, path), "utf8")
const dockerfile = textOf("Dockerfile")

interface Machine {
  readonly name: string
  readonly environment: Readonly<Record<string, string>>
  readonly args: readonly string[]
  /** Folders that outlive it. */
  readonly mounted: readonly string[]
  readonly ports: readonly number[]
}

const filled = (value: string): string => value.replace(/\$\{K3_PASSWORD:\?[^}]*\}/, "secret").replace("$(POD_IP)", "10.1.2.3")

const composed = (): readonly Machine[] => {
  const { services } = parse(textOf("compose.yaml"), { merge: true })
  return Object.entries<any>(services).flatMap(([name, { environment, command, volumes, ports = [], build }]) =>
    build === undefined
      ? []
      : [
          {
            name,
            environment: Object.fromEntries(Object.entries<string>(environment).map(([key, value]) => [key, filled(value)])),
            args: command,
            mounted: volumes.map((volume: string) => volume.split(":")[1]),
            ports: ports.map((port: string) => Number(port.split(":").at(-1))),
          },
        ],
  )
}

const deployed = (): readonly Machine[] =>
  parseAllDocuments(textOf("deploy/kubernetes.yaml"))
    .map((document) => document.toJS())
    .filter(({ kind }) => kind === "Deployment")
    .map(({ metadata, spec }) => {
      const [container] = spec.template.spec.containers
      const entries = container.env.map((each: any) => [each.name, filled(each.value ?? "postgres://k3:secret@db:5432/k3")])
      return {
        name: metadata.name,
        environment: Object.fromEntries(entries.filter(([name]: [string]) => name !== "POD_IP")),
        args: container.args,
        mounted: container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath),
        ports: container.ports.map(({ containerPort }: { containerPort: number }) => containerPort),
      }
    })

const node = `v${/FROM node:(\d+)/.exec(dockerfile)![1]}.19.0`

describe.each([
  ["compose.yaml", composed(), ["runner-1", "runner-2", "runner-3", "front-1", "front-2"]],
  ["deploy/kubernetes.yaml", deployed(), ["k3-mcp-runner", "k3-mcp-front"]],
])("%s", (_, machines, expected) => {
  it("has the machines it names", () => {
    expect(machines.map(({ name }) => name)).toEqual(expected)
  })

  it.each(machines.map((machine) => [machine.name, machine] as const))(
    "%s is told what the program understands, and may be a member with that",
    (_name, { environment, args, mounted, ports }) => {
      expect(args).toEqual(["--no-stdio"])
      const { values, origins } = Result.getOrThrow(
        resolve({ cwd: "/work", resolvePath: posix.resolve, pathDelimiter: ":", flags: {}, environment }),
      )
      const understood = origins.filter(({ source }) => source === "environment").map(({ from }) => from)
      expect(understood.toSorted()).toEqual(Object.keys(environment).toSorted())
      expect(whyNotMember(values, { node, isHeard: false, called: namesGiven(origins) })).toBeUndefined()
      // A runner whose port is for the others alone need not name it.
      const port = values.role === "front" ? values.listen!.port : values.runnerAddress.port
      expect(values.role === "runner" && ports.length === 0 ? [port] : ports).toEqual([port])
      const state = / K3_STATE_DIR=(\S+)/.exec(dockerfile)![1]!
      for (const folder of [...values.roots, values.principals!, state])
        expect(mounted.some((each) => folder.startsWith(`${each}/`))).toBe(true)
    },
  )

  it("tells all machines of the same database and the same folders", () => {
    for (const name of ["K3_CLUSTER", "K3_ROOTS", "K3_PRINCIPALS", "K3_ENGINE"])
      expect(new Set(machines.map(({ environment }) => environment[name])).size, name).toBe(1)
  })
})

it("the manifest asks for the health that the program has", () => {
  const text = textOf("deploy/kubernetes.yaml")
  const paths = [...text.matchAll(/path: (\/\w+)/g)].map(([, path]) => path)
  expect(new Set(paths)).toEqual(new Set(["/healthz", "/readyz"]))
  for (const path of paths) expect(textOf("src/mcp/http/places.ts")).toContain(`"${path}"`)
})

it("the manifest lets the modes of the state folder stay: the server reads no token from a folder that its group may write", () => {
  const pods = parseAllDocuments(textOf("deploy/kubernetes.yaml")).flatMap((document) => document.toJS().spec?.template?.spec ?? [])
  const policies = pods.map(({ securityContext }: any) => securityContext.fsGroupChangePolicy)
  expect(policies).toEqual(["OnRootMismatch", "OnRootMismatch"])
})
