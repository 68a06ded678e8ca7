/**
 * The cookie of a logged-in browser. Pure. Guarantees: servers on different ports of a machine use different cookie names; a request
 * counts as the page's own only if the browser's headers say so. Does not: hide the cookie from servers on other ports, since browsers send a
 * machine's cookies to each of its ports.
 */
import type { Head } from "./Listener.ts"

const isHttps = (publicUrl: string | null): publicUrl is string => publicUrl?.startsWith("https:") === true

const nameOf = ({ header }: Head, publicUrl: string | null): string =>
  isHttps(publicUrl) ? "__Host-k3" : `k3-${/:(\d+)$/.exec(header("host") ?? "")?.[1] ?? "80"}`

export const cookieIn = (head: Head, publicUrl: string | null): string | undefined => {
  const name = nameOf(head, publicUrl)
  return (head.header("cookie") ?? "")
    .split("; ")
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1)
}

/** An empty value with 0 seconds makes the browser delete the cookie. */
export const setCookie = (head: Head, publicUrl: string | null, value: string, seconds: number): string =>
  `${nameOf(head, publicUrl)}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${isHttps(publicUrl) ? "; Secure" : ""}`

/** True if the page itself sent the request; false for another site or port, and for a program that sends neither Origin nor Sec-Fetch-Site. */
export const isOfPage = ({ header }: Head, publicUrl: string | null): boolean => {
  const origin = header("origin")
  const site = header("sec-fetch-site")
  const own = [`http://${header("host")}`, ...(publicUrl === null ? [] : [new URL(publicUrl).origin])]
  return (origin ?? site) !== undefined && (origin === undefined || own.includes(origin)) && (site === undefined || site === "same-origin")
}

/** True if the person opened the address, in the address bar, from another program or from the page; false for another site, and for a prefetch. */
export const isVisit = ({ header }: Head): boolean =>
  ["none", "same-origin"].includes(header("sec-fetch-site") ?? "none") &&
  (header("sec-fetch-mode") ?? "navigate") === "navigate" &&
  header("sec-purpose") === undefined
