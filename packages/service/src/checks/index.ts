/** Health checks: the shape that all packages share, and the questions to a database that more than one of them has. */

export {
  type AnsweringDatabase,
  askDatabase,
  type DatabaseAnswer,
  findingOfSchema,
  findingsOfRights,
  findingsOfServer,
} from './database-answer.ts'
export { findingsOfFile } from './database-file.ts'
export {
  type Check,
  type Finding,
  goodFinding,
  type Result,
  skippedFinding,
  spanOf,
  warningFinding,
  wrongByError,
  wrongFinding,
} from './finding.ts'
