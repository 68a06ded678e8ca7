/** Decodes the replies of children. A cut letter at the end of a part becomes U+FFFD. */
import { joinedBytes } from "../joinedBytes.ts"
import type { ChildReply } from "../repl/frame.ts"

const utf8 = new TextDecoder()

/** The beginning of a reply, or the whole of a short one. */
export const beginningOf = ({ head }: ChildReply): string => utf8.decode(head)

/** The whole reply; undefined when it is longer than the kept bytes of a reply. */
export const wholeOf = ({ head, tail, omitted }: ChildReply): string | undefined =>
  omitted > 0 ? undefined : utf8.decode(tail.length === 0 ? head : joinedBytes([head, tail]))
