/** The web page that shows an agent's K sessions to a person, who can evaluate too: an MCP client of the server it was loaded from. */
import { render } from "preact"
import { App } from "./App.tsx"
import { PageStore } from "./PageStore.ts"

const store = new PageStore(new URL("/mcp", location.href))
const go = (): void => store.go(location.hash)
addEventListener("hashchange", go)
// Before the listeners of the parts, whose last requests go through the connection.
addEventListener("pagehide", () => store.connection.leave())
addEventListener("pageshow", ({ persisted }) => store.connection.comeBack(persisted))
go()
void store.connection.connect()
render(<App store={store} />, document.querySelector("#page")!)
