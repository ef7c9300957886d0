export type {
  Check,
  CheckOutcome,
  CheckResult,
  Fault,
  Profile,
  Skip,
} from '../check.ts'
export { NotApplicable, profiles } from '../check.ts'
export type { Clause } from '../clauses.ts'
export { readExpectedFailures } from '../expected-failures.ts'
export { hubChecks } from '../hub/hub-checks.ts'
export type { HubTarget, WorldTokens } from '../hub/hub-target.ts'
export { worldText } from '../hub/world.ts'
export { isAsExpected } from '../report/by-clause.ts'
export { jsonReport } from '../report/json.ts'
export { junitReport } from '../report/junit.ts'
export { textReport } from '../report/text.ts'
export { type RunOptions, runChecks } from '../run-checks.ts'
export { ConformStop } from './conform-stop.ts'
export { type ConformFlags, type ConformOption, conformOptions, readForm } from './options.ts'
export { runConform } from './run-conform.ts'
export type { ConformOutput } from './side.ts'
