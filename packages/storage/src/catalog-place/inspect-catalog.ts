/** The catalogue in PostgreSQL for commands that look and change nothing: the driver is loaded when one is asked for. */

import type { Secret } from '@latchkey/protocol'
import type { InspectedPostgresCatalog } from '../catalog/postgres/inspect-catalog.ts'
import { settingsOf } from './open-catalog.ts'

export async function inspectCatalogIn(
  database: Secret<'database-url'>,
): Promise<InspectedPostgresCatalog> {
  const { inspectPostgresCatalog } = await import('../catalog/postgres/inspect-catalog.ts')
  return inspectPostgresCatalog(await settingsOf(database))
}
