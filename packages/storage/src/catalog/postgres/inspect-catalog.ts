/** The catalogue in PostgreSQL for somebody who looks after it, and changes nothing. */

import {
  type InspectedSchema,
  inspectSchema,
  type PostgresSettings,
} from '@latchkey/service/postgres'
import type { ReadingDatabase } from '../catalog-database.ts'
import { type LinkState, readLinkState } from '../link-state.ts'
import type { StorageSchema } from '../schema.ts'
import { migrations } from './migrations/migrations.ts'
import { storageSchema as schema } from './schema-name.ts'

export interface InspectedPostgresCatalog
  extends Omit<InspectedSchema<StorageSchema>, 'ask' | 'read'> {
  /** Reads a schema of the newest version. */
  linkState(): Promise<LinkState>
  read: ReadingDatabase['read']
}

/** Throws `CannotStart` where the server cannot be reached or used. */
export async function inspectPostgresCatalog(
  settings: PostgresSettings,
): Promise<InspectedPostgresCatalog> {
  const options = { settings, schema, migrations }
  const { read, ask, ...inspected } = await inspectSchema<StorageSchema>(options)
  return { ...inspected, linkState: () => read(readLinkState), read }
}
