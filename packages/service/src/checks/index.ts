/** Health checks: the shape that all packages share, and the questions to a database that more than one of them has. */

export type { Check } from './check.ts'
export {
  type AnsweringDatabase,
  askDatabase,
  type DatabaseAnswer,
} from './database-answer.ts'
export { findingsOfFile } from './database-file.ts'
export {
  type Finding,
  good,
  type Result,
  skipped,
  warning,
  wrong,
  wrongByError,
} from './finding.ts'
export { findingsOfRights } from './postgres-rights.ts'
export { findingOfSchema } from './postgres-schema.ts'
export { findingsOfServer } from './postgres-server.ts'
export { spanOf } from './span.ts'
