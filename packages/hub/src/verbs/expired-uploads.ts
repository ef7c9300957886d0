/** Deletes the refs into which nobody uploads any more: the storage removes their content, and garbage collection its bytes. */

import { isRefusal, type RefUid, type RepositoryUid } from '@latchkey/protocol'
import { yieldToEventLoop } from '@latchkey/service/limits/slices'
import { isExpiredUpload } from '../permission/own-refs.ts'
import type { Origin } from '../tables/change.ts'
import type { Directory } from '../tables/directory.ts'
import { withNewEpoch } from './epochs.ts'
import { findRepositoryByUid } from './repository-rows.ts'

/** Few enough that no request waits long. */
const rowsAtOnce = 2000

export interface Expiring {
  readonly origin: Origin
  readonly now: number
}

/** Gives how many are gone. */
export async function deleteExpiredUploads(
  directory: Directory,
  expiring: Expiring,
): Promise<number> {
  let deleted = 0
  let after = ''
  for (;;) {
    const rows = await directory.readBeside((tables) =>
      tables
        .selectFrom('refs')
        .select(['uid', 'name', 'repository_uid'])
        .where('uid', '>', after as RefUid)
        .orderBy('uid')
        .limit(rowsAtOnce)
        .execute(),
    )
    for (const { uid, name, repository_uid } of rows) {
      if (!isExpiredUpload(name, expiring.now)) continue
      deleted += await deleteUpload(directory, { uid, repositoryUid: repository_uid }, expiring)
    }
    if (rows.length < rowsAtOnce) return deleted
    after = rows.at(-1)?.uid ?? ''
    await yieldToEventLoop()
  }
}

interface Upload {
  readonly uid: RefUid
  readonly repositoryUid: RepositoryUid
}

async function deleteUpload(
  directory: Directory,
  { uid, repositoryUid }: Upload,
  { origin }: Expiring,
): Promise<number> {
  const gone = await directory.change(async ({ tables, number, putAs }) => {
    const repository = await findRepositoryByUid(tables, repositoryUid)
    const before = await tables
      .selectFrom('refs')
      .selectAll()
      .where('uid', '=', uid)
      .executeTakeFirst()
    if (repository === undefined || before === undefined) return 0
    await putAs(origin)(withNewEpoch([{ thing: 'ref', before, repository }], repository, number))
    return 1
  })
  return isRefusal(gone) ? 0 : gone
}
