/** All tools, sorted by name. A new tool is a file in this folder and a line here. */
import type { Tool } from "../Tool.ts"
import { kCompare } from "./kCompare.ts"
import { kDefine } from "./kDefine.ts"
import { kEval } from "./kEval.ts"
import { kHelp } from "./kHelp.ts"
import { kHistory } from "./kHistory.ts"
import { kInspect } from "./kInspect.ts"
import { kOutput } from "./kOutput.ts"
import { kPlot } from "./kPlot.ts"
import { kReload } from "./kReload.ts"
import { kReset } from "./kReset.ts"
import { kSession } from "./kSession.ts"
import { kSnapshot } from "./kSnapshot.ts"
import { kStatus } from "./kStatus.ts"
import { kValidate } from "./kValidate.ts"

export const tools: readonly Tool[] = [
  kCompare,
  kDefine,
  kEval,
  kHelp,
  kHistory,
  kInspect,
  kOutput,
  kPlot,
  kReload,
  kReset,
  kSession,
  kSnapshot,
  kStatus,
  kValidate,
]
