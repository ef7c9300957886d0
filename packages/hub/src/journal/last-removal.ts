/** The entry that removed an account, repository or ref which is not there any more, as a sentence for administrators. */

import { sql } from 'kysely'
import type { Reading } from '../tables/directory.ts'
import type { JournalRow } from '../tables/rows.ts'
import { timeOf } from './read-journal.ts'

const names = ['account', 'repository', 'ref'] as const

type Named = Partial<Pick<JournalRow, (typeof names)[number]>>

/** The sentence about the last removal of this thing; undefined where the journal knows of none. */
export async function lastRemoval(
  tables: Reading,
  thing: 'account' | 'repository' | 'ref',
  named: Named,
): Promise<string | undefined> {
  const row = await tables
    .selectFrom('journal')
    .selectAll()
    .where('thing', '=', thing)
    // Written out, so that the index of removals is used.
    .where('did', '=', sql.lit('deleted'))
    .where(({ eb, and }) =>
      and(
        names.map((column) =>
          eb(column, named[column] == null ? 'is' : '=', named[column] ?? null),
        ),
      ),
    )
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (
    row && `was removed by ${byWhom(row)} at ${timeOf(row)} (${row.verb}, journal ${row.number})`
  )
}

function byWhom({ actor_account, actor_user }: JournalRow): string {
  if (actor_account !== null) return `"${actor_account}"`
  return actor_user === null ? 'this machine' : `the system user "${actor_user}"`
}
