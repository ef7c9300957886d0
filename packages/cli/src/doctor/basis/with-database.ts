/** The PostgreSQL of the hub for a check, where it answers. */

import type { InspectedPostgres } from '@latchkey/hub/management'
import type { AnsweringDatabase } from './ask-database.ts'
import { type Finding, skipped } from './finding.ts'
import type { Installation } from './installation.ts'

/** Why it does not answer is said by its own check, once. */
export async function withDatabase(
  installation: Installation,
  look: (
    database: AnsweringDatabase<InspectedPostgres>,
  ) => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const answer = await installation.database()
  return answer.kind === 'answers'
    ? look(answer)
    : [skipped('not looked at, because the database does not answer')]
}
