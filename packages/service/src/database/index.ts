/** A SQLite database for a service: opening and migrating its file, reading it, one queue of writers. */

export { type InspectedDatabase, inspectDatabase } from './inspect-database.ts'
export { tablesOf } from './kysely-dialect.ts'
export {
  bringToVersion,
  lookAt,
  type OpenOptions,
  openAlone,
  openDatabase,
  openForReading,
  orClose,
  versionOf,
} from './open-database.ts'
export { pause } from './pause.ts'
export { pendingScript, versionIn } from './pending-script.ts'
export { explain, explained, isBusy, isFull, StorageFull } from './sqlite-error.ts'
export { type WriterQueue, writerQueue } from './writer-queue.ts'
