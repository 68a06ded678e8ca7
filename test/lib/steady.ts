/**
 * A reply without what differs from run to run and from machine to machine, so that it can be committed and held to: times, hashes, process
 * ids, memory and folders. Everything else of a reply is the same every time.
 */

/** `folder`, the one that the server works in, is told as `.`. */
export const steady = (text: string, folder?: string): string =>
  (folder === undefined ? text : text.replaceAll(`${folder}/`, "").replaceAll(folder, "."))
    .replaceAll(/"ms":\{"a":[\d.]+,"b":[\d.]+\}/g, '"ms":{"a":0,"b":0}')
    .replaceAll(/("(?:\w*ms|pid|memory_bytes)":)[\d.]+/g, "$10")
    // Where the copy lies that a child runs from.
    .replaceAll(/\S*\/k3-mcp-\w+\/[\w-]+\//g, "…/")
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)(?=[),.: ]|$)/gm, "… ms")
    .replaceAll(/\b(?:[0-9a-f]{32}|[0-9a-f]{8})\b/g, "…")
    .replaceAll(/\b\d{4}-\d\d-\d\d([ T])\d\d:\d\d:\d\d(?:\.\d+Z)?/g, "2026-01-01$100:00:00")
    .replaceAll(/\bpid \d+/g, "pid …")
    .replaceAll(/\bMemory: .*$/gm, "Memory: …")
