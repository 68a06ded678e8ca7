/**
 * Prints the text of a command, such as `--help`. A reader of standard output that has gone, as in a pipeline with `head`, is no failure; any other
 * error of standard output is said, with exit code 1.
 */
export const print = (text: string): void => {
  process.stdout
    .once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") return
      process.stderr.write(`k3-mcp: standard output: ${error.message}\n`)
      process.exitCode = 1
    })
    .write(text)
}
