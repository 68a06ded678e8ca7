/** All resources. A new resource is a file in this folder and a line here. */
import * as Effect from "effect/Effect"
import { docsResource } from "./docs.ts"
import { crashResource, historyResource, outputResource } from "./records.ts"
import { plotResource } from "./plots.ts"
import { addressOf, match, namesIn, type ExistingResource, type Resource, type Services, type AddressVariables } from "./Resource.ts"
import { scriptsResource } from "./scripts.ts"
import { skillResource } from "./skill.ts"
import { snapshotResource } from "./snapshots.ts"
import { sessionsResource, stateResource, statusResource, valueResource } from "./sessions.ts"
import { toolResource } from "./tools.ts"
import { plotView, variableView } from "./view.ts"

export const resources: readonly Resource[] = [
  statusResource,
  sessionsResource,
  stateResource,
  valueResource,
  snapshotResource,
  historyResource,
  outputResource,
  plotResource,
  crashResource,
  toolResource,
  scriptsResource,
  docsResource,
  skillResource,
  plotView,
  variableView,
]

/** The most resources of one pattern in a list: all plots that are kept, which the page and the consoles find there. The others can be read by address. */
const mostPresent = 64

const annotationsOf = ({ priority }: Resource, lastModified?: number) => ({
  audience: ["user", "assistant"],
  priority,
  ...(lastModified !== undefined && { lastModified: new Date(lastModified).toISOString() }),
})

const fixed = resources.filter((each) => namesIn(each).length === 0 && each.unlisted !== true)
const patterns = resources.filter((each) => namesIn(each).length > 0)

/** A resource or a pattern in a list, by its `address`. */
const described = (address: object, each: Resource) => ({
  ...address,
  name: each.name,
  title: each.title,
  description: each.description,
  mimeType: each.mimeType,
  annotations: annotationsOf(each),
})

const entryOf = (each: Resource, { variables, title, description = each.description, size, lastModified }: ExistingResource) => ({
  uri: addressOf(each, variables),
  name: `${each.name} ${Object.values(variables).join(" ")}`,
  title,
  description,
  mimeType: each.mimeType,
  ...(size !== undefined && { size }),
  annotations: annotationsOf(each, lastModified),
})

/** The entries of `resources/list`: resources with a plain address, and the existing resources of each pattern. */
export const listed: Effect.Effect<readonly object[], never, Services> = Effect.map(
  Effect.forEach(patterns, (each) =>
    Effect.map(each.present ?? Effect.succeed([]), (all) => all.slice(0, mostPresent).map((one) => entryOf(each, one))),
  ),
  (present) => [...fixed.map((each) => described({ uri: each.uri }, each)), ...present.flat()],
)

/** The entries of `resources/templates/list`. */
export const templates: readonly object[] = patterns.map((each) => described({ uriTemplate: each.uri }, each))

/** The resource of an address, and the segments of the address. */
export const find = (address: string): { readonly resource: Resource; readonly variables: AddressVariables } | undefined => {
  for (const resource of resources) {
    const variables = match(resource, address)
    if (variables !== undefined) return { resource, variables }
  }
  return undefined
}
