/** A plot of the server, shown as an `img` from its SVG, so that scripts in it cannot run. Does not: keep it once it is out of view. */
import { useEffect, useState } from "preact/hooks"
import type { PageStore } from "./PageStore.ts"

interface PictureParts {
  readonly uri: string
  readonly alt: string
  readonly store: PageStore
}

export const Picture = ({ uri, alt, store }: PictureParts) => {
  const [source, setSource] = useState<string | undefined>(undefined)
  const [problem, setProblem] = useState("")
  const isDue = source === undefined && store.link.value === "here"
  useEffect(() => {
    if (!isDue) return
    let isShown = true
    store.read(uri).then(
      (svg) => isShown && setSource(URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }))),
      (error: Error) => isShown && setProblem(error.message),
    )
    return () => {
      isShown = false
    }
  }, [uri, isDue])
  useEffect(() => () => void (source !== undefined && URL.revokeObjectURL(source)), [source])
  if (source === undefined && problem !== "") return <p class="quiet">This picture is not shown. {problem}</p>
  return <div class="picture">{source !== undefined && <img src={source} alt={alt} width={800} height={500} />}</div>
}
