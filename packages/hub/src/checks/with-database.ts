/** The PostgreSQL of the hub for a check, where it answers. */

import { type AnsweringDatabase, type Finding, skipped } from '@latchkey/service/checks'
import type { InspectedPostgres } from '../stores/postgres/inspect-store.ts'
import type { HubInstallation } from './installation.ts'

/** No rows where the database is a file. Its own check says once why it does not answer. */
export async function withDatabase(
  installation: HubInstallation,
  look: (
    database: AnsweringDatabase<InspectedPostgres>,
  ) => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  if (installation.databaseKind !== 'postgres') return []
  const answer = await installation.database()
  return answer.kind === 'answers'
    ? look(answer)
    : [skipped('not looked at, because the database does not answer')]
}
