/** A SQLite database for a service: opening and migrating its file, reading it, one queue of writers. */

export {
  type InspectedDatabase,
  inspectDatabase,
  pendingScript,
  versionIn,
} from './inspect-database.ts'
export {
  lookAt,
  type OpenOptions,
  openDatabase,
  openForReading,
  orClose,
  versionOf,
} from './open-database.ts'
export { explainErrors, isFull, StorageFull } from './sqlite-error.ts'
export { tablesOf, type WriterQueue, writerQueue } from './writer-queue.ts'
