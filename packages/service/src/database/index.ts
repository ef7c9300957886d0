/** A SQLite database for a service: opening and migrating its file, reading it, one queue of writers. */

export { type InspectedDatabase, inspectDatabase } from './inspect-database.ts'
export { tablesOf } from './kysely-dialect.ts'
export {
  lookAt,
  type OpenOptions,
  openDatabase,
  openForReading,
  orClose,
  versionOf,
} from './open-database.ts'
export { pendingScript, versionIn } from './pending-script.ts'
export { explained, isFull, StorageFull } from './sqlite-error.ts'
export { type WriterQueue, writerQueue } from './writer-queue.ts'
