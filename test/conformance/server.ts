/** The server as it is, with the fixtures of the conformance suite mounted in it. For tests only. */
import * as Result from "effect/Result"
import { readCommandLine } from "../../src/platform/commandLine.ts"
import { serve } from "../../src/program.ts"
import { resolve } from "../../src/Settings.ts"
import { mount } from "./fixtures.ts"

const { sources } = Result.getOrThrow(readCommandLine())
const { values: settings } = Result.getOrThrow(resolve(sources))
serve(undefined, { settings, version: "0.0.0", embeddedProgram: process.env["K3_PROGRAM"]!, pageFolder: "none", mount })
