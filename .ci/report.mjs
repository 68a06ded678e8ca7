// Takes the gate's exit status and the paths of the runners' JSON reports. Prints each failed test with the beginning of its error, then, as the
// last line, the counts of all reports together. A report that is missing counts as one failure, as does a test file that failed before its first
// test, and a status that no report explains: the runner keeps errors outside of a test out of its report.
import { existsSync, readFileSync } from "node:fs"

const counts = { passed: 0, failed: 0, skipped: 0 }

/** Counts a failure, and prints its name and the first 20 lines of its error. */
const fail = (name, error = "") => {
  counts.failed++
  console.log(`FAILED ${name}`)
  for (const line of error.split("\n").slice(0, 20)) if (line !== "") console.log(`  ${line}`)
}

const [status, ...paths] = process.argv.slice(2)
for (const path of paths) {
  if (!existsSync(path)) {
    fail(`${path} was not written`)
    continue
  }
  const report = JSON.parse(readFileSync(path, "utf8"))
  counts.passed += report.numPassedTests
  counts.skipped += report.numPendingTests + report.numTodoTests
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter((test) => test.status === "failed")
    for (const test of failed) fail(`${file.name} > ${test.fullName}`, test.failureMessages.join("\n"))
    if (file.status === "failed" && failed.length === 0) fail(file.name, file.message)
  }
}
if (status !== "0" && counts.failed === 0) fail(`the gate ended with status ${status}, and each test passed: the error is above`)
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
