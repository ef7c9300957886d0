/** The store in PostgreSQL for commands that look and change nothing: the driver is loaded when one is asked for. */

import type { PostgresSettings } from '@latchkey/service/postgres'
import type { InspectedPostgres } from '../stores/postgres/inspect-store.ts'

export async function inspectPostgres(settings: PostgresSettings): Promise<InspectedPostgres> {
  const { inspectPostgresStore } = await import('../stores/postgres/inspect-store.ts')
  return inspectPostgresStore(settings)
}
