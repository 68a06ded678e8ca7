/** What a client can make long or many, and how far. Where one is reached, the error names it. */

/** Names of sessions and snapshots. */
export const namePattern = /^[\w.-]{1,64}$/
