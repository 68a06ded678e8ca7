/** The page that a person opens to watch and join an agent's K session: an MCP client of the server that gave it. */
import { render } from "preact"
import { App } from "./App.tsx"
import { Store } from "./Store.ts"

const store = new Store(new URL("/mcp", location.href))
const go = (): void => store.go(location.hash)
addEventListener("hashchange", go)
go()
void store.begin()
render(<App store={store} />, document.querySelector("#page")!)
