/**
 * The cookie of a browser that is logged in. Pure. Guarantees: servers on other ports of a machine have cookies of their own name; a request
 * is taken for the page's own only when the browser says so. Does not: keep the cookie from such servers, since browsers send a machine's
 * cookies to each of its ports.
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

/** An empty value with 0 seconds has the browser forget it. */
export const setCookie = (head: Head, publicUrl: string | null, value: string, seconds: number): string =>
  `${nameOf(head, publicUrl)}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${isHttps(publicUrl) ? "; Secure" : ""}`

/** From the page itself: not from another site, another port, or a program that says nothing of it. */
export const isOfPage = ({ header }: Head, publicUrl: string | null): boolean => {
  const origin = header("origin")
  const site = header("sec-fetch-site")
  const own = [`http://${header("host")}`, ...(publicUrl === null ? [] : [new URL(publicUrl).origin])]
  return (origin ?? site) !== undefined && (origin === undefined || own.includes(origin)) && (site === undefined || site === "same-origin")
}

/** The person went there: by the address bar or another program, not because another site said so, nor a browser ahead of them. */
export const isVisit = ({ header }: Head): boolean =>
  ["none", "same-origin"].includes(header("sec-fetch-site") ?? "none") &&
  (header("sec-fetch-mode") ?? "navigate") === "navigate" &&
  header("sec-purpose") === undefined
