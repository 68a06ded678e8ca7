/** Ends this process with a message if this version of Node runs no TypeScript and no member of a cluster. */
export const needRecentNode = () => {
  const [major, minor] = process.versions.node.split(".").map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`
  const again = process.argv.slice(1).map((each) => JSON.stringify(each))
  console.error(`A cluster needs Node 22.19 or later; this is ${process.version}. Without installing one:`)
  console.error(`  npx --yes --package ${name}@22 -- node ${again.join(" ")}`)
  process.exit(2)
}
