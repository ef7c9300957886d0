/** Marks the repositories that a forge holds: only the forge can save the content that their commits have in the storage. */

import type { RepositoryUid } from '@latchkey/protocol'
import { chunked } from '../tables/columns.ts'
import type { Directory, Reading } from '../tables/directory.ts'

/** In the database: a command may work on it from a machine that has no repositories of git. */
const markOf = (uid: RepositoryUid) => `forge:${uid}`

export async function isHeldByForge(tables: Reading, uid: RepositoryUid): Promise<boolean> {
  return (await held(tables, [uid])).size > 0
}

/** To be called before the forge has anything of them. */
export async function markAsHeld(
  directory: Directory,
  uids: readonly RepositoryUid[],
): Promise<void> {
  const known = await directory.readBeside((tables) => held(tables, uids))
  const added = uids.filter((uid) => !known.has(markOf(uid)))
  if (added.length === 0) return
  await directory.note('forge mark', async ({ tables }) => {
    for (const some of chunked(added)) {
      await tables
        .insertInto('settings')
        .values(some.map((uid) => ({ name: markOf(uid), value: 'yes' })))
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
    }
  })
}

/** For a repository that the forge has removed. */
export async function unmarkHeld(directory: Directory, uid: RepositoryUid): Promise<void> {
  await directory.note('forge mark', async ({ tables }) => {
    await tables.deleteFrom('settings').where('name', '=', markOf(uid)).execute()
  })
}

async function held(tables: Reading, uids: readonly RepositoryUid[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const some of chunked(uids.map(markOf))) {
    const rows = await tables
      .selectFrom('settings')
      .select('name')
      .where('name', 'in', some)
      .execute()
    for (const { name } of rows) found.add(name)
  }
  return found
}
