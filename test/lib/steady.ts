/**
 * Replaces the parts of a reply that differ between runs and machines, so that the reply can be a committed snapshot: times, hashes, process
 * ids, memory and folders. The rest of a reply is always the same.
 */

/** `folder`: the server's working folder, which becomes `.`. */
export const steady = (text: string, folder?: string): string =>
  (folder === undefined ? text : text.replaceAll(`${folder}/`, "").replaceAll(folder, "."))
    // The folder of the shadow copy.
    .replaceAll(/\S*\/k3-mcp-\w+\/[\w-]+\//g, "…/")
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)(?=[),.:; ]|$)/gm, "… ms")
    .replaceAll(/\b(?:[0-9a-f]{32}|[0-9a-f]{8})\b/g, "…")
    .replaceAll(/\b\d{4}-\d\d-\d\d([ T])\d\d:\d\d:\d\d(?:\.\d+Z)?/g, "2026-01-01$100:00:00")
    .replaceAll(/\bpid \d+/g, "pid …")
    // Memory is measured from time to time, so its line may be absent.
    .replaceAll(/^Memory: .*\n|, [\d.]+ MiB$/gm, "")

/** Applies `steady` to structured content. */
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
