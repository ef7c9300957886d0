/** The store for somebody who looks after it, and changes nothing. */

import { type InspectedDatabase, inspectDatabase, tablesOf } from '@latchkey/service/database'
import type { Reading } from '../../tables/directory.ts'
import type { Schema } from '../../tables/schema.ts'
import { migrations } from './migrations/migrations.ts'

export interface InspectedStore extends Omit<InspectedDatabase, 'database'> {
  /** The version that this program brings a database to. */
  readonly newestVersion: number
  /** Of a database of the newest version. */
  readonly tables: Reading
}

export function inspectStore(file: string): InspectedStore {
  const { database, ...inspected } = inspectDatabase(file)
  return { ...inspected, newestVersion: migrations.length, tables: tablesOf<Schema>(database) }
}
