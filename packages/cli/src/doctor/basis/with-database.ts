/** A PostgreSQL for a check, where it answers. */

import type { DatabaseAnswer } from './ask-database.ts'
import { type Finding, skipped } from './finding.ts'
import type { Installation } from './installation.ts'

export type AnsweringDatabase = Extract<DatabaseAnswer, { kind: 'answers' }>

/** Why it does not answer is said by its own check, once. */
export async function withDatabase(
  installation: Installation,
  look: (database: AnsweringDatabase) => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const answer = await installation.database()
  return answer.kind === 'answers'
    ? look(answer)
    : [skipped('not looked at, because the database does not answer')]
}
