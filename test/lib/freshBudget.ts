/** Each test file begins with a budget without limits: the files of one worker share the module that holds it. */
import { begin } from "../../src/k3/run/budget.ts"

begin({ interrupted: () => false, memory: Infinity, room: () => true, steps: Infinity })
