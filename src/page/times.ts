/** Times of entries as a person reads them, in the browser's language and time zone, of 24 hours from 00:00 on. */
const hours = { hourCycle: "h23" } as const

/** The time of day. */
export const timeOf = (at: string): string => new Date(at).toLocaleTimeString(undefined, hours)

/** Day and time. */
export const dayAndTimeOf = (at: string): string => new Date(at).toLocaleString(undefined, hours)
