/**
 * A reply without what differs from run to run and from machine to machine, so that it can be committed and held to: times, hashes, process
 * ids, memory and folders. Everything else of a reply is the same every time.
 */

/** `folder`, the one that the server works in, is told as `.`. */
export const steady = (text: string, folder?: string): string =>
  (folder === undefined ? text : text.replaceAll(`${folder}/`, "").replaceAll(folder, "."))
    // Where the copy lies that a child runs from.
    .replaceAll(/\S*\/k3-mcp-\w+\/[\w-]+\//g, "…/")
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)(?=[),.:; ]|$)/gm, "… ms")
    .replaceAll(/\b(?:[0-9a-f]{32}|[0-9a-f]{8})\b/g, "…")
    .replaceAll(/\b\d{4}-\d\d-\d\d([ T])\d\d:\d\d:\d\d(?:\.\d+Z)?/g, "2026-01-01$100:00:00")
    .replaceAll(/\bpid \d+/g, "pid …")
    // It is looked at now and then, so it is there or not.
    .replaceAll(/^Memory: .*\n|, [\d.]+ MiB$/gm, "")

/** The same of structured content. */
export const steadyData = (data: unknown): unknown => {
  if (typeof data === "string") return steady(data)
  if (Array.isArray(data)) return data.map(steadyData)
  if (typeof data !== "object" || data === null) return data
  return Object.fromEntries(
    Object.entries(data)
      .filter(([name]) => name !== "memory_bytes")
      .map(([name, value]) => [name, name === "pid" || name.endsWith("ms") ? zeros(value) : steadyData(value)]),
  )
}

const zeros = (data: unknown): unknown =>
  typeof data === "object" && data !== null ? Object.fromEntries(Object.keys(data).map((name) => [name, 0])) : 0
