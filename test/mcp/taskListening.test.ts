/** S36: task ids become addresses for the SDK, and addresses become task ids for the client. */
import { expect, it } from "vitest"
import { addressFor, asTasks, taskIdsIn, withTasks } from "../../src/mcp/taskListening.ts"

const acknowledged = (resourceSubscriptions: readonly unknown[]) =>
  ({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { notifications: { resourceSubscriptions } } }) as never

it("S36 the client gets task ids beside addresses; no other message changes, even if it holds text like a task's address", () => {
  const filter = { taskIds: ["e1-a", "e1-a", 7, "e2-b"], resourceSubscriptions: ["k3://status"], toolsListChanged: true }
  expect(taskIdsIn({ notifications: filter })).toEqual(["e1-a", "e2-b"])
  const message = { jsonrpc: "2.0" as const, id: 5, method: "subscriptions/listen", params: { notifications: filter } }
  const { notifications }: any = withTasks(message, 5, ["e1-a"]).params
  expect(notifications).toEqual({ toolsListChanged: true, resourceSubscriptions: ["k3://status", addressFor(5, "e1-a")] })
  expect((asTasks(acknowledged(notifications.resourceSubscriptions)) as any).params.notifications).toEqual({
    resourceSubscriptions: ["k3://status"],
    taskIds: ["e1-a"],
  })
  for (const odd of ["k3-task:", "k3-task:not json", "k3-task:[", 'k3-task:["l","x"]', "k3-tas", "__proto__"])
    expect(() => asTasks(acknowledged([odd]))).not.toThrow()
  for (const given of [
    undefined,
    null,
    7,
    [],
    { notifications: null },
    { notifications: { taskIds: "e1" } },
    { notifications: { taskIds: {} } },
  ])
    expect(taskIdsIn(given)).toEqual([])
  const updated = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "k3://status" } } as never
  expect(asTasks(updated)).toBe(updated)
})
