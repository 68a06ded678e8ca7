/** The web page that shows an agent's K sessions to a person, who can evaluate too: an MCP client of the server it was loaded from. */
import { render } from "preact"
import { App } from "./App.tsx"
import { Store } from "./Store.ts"

const store = new Store(new URL("/mcp", location.href))
const go = (): void => store.go(location.hash)
addEventListener("hashchange", go)
go()
void store.begin()
render(<App store={store} />, document.querySelector("#page")!)
