/** A SQLite database for a service: opening and migrating its file, reading it, one queue of writers. */

export { tablesOf } from './kysely-dialect.ts'
export { type OpenOptions, openDatabase, openForReading } from './open-database.ts'
export { isFull, StorageFull } from './sqlite-error.ts'
export { type WriterQueue, writerQueue } from './writer-queue.ts'
