/** The kinds of engines. Pure: rooms that know nothing of children name them too. */
export const engineKinds = ["embedded", "k3csharp"] as const
export type EngineKind = (typeof engineKinds)[number]
