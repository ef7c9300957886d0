/** Tells the storage that a ref did not come to be, so that it removes what was stored for it. */

import type { RefUid, RepositoryUid } from '@latchkey/protocol'
import { noCommit } from '@latchkey/protocol'
import type { Origin } from '../tables/change.ts'
import { withNewEpoch } from '../verbs/epochs.ts'
import { findRepositoryByUid } from '../verbs/repository-rows.ts'
import type { ForgePortParts } from './ports.ts'

/** What the forge does when nobody asks for it. */
export const forgeOrigin: Origin = { verb: 'ref delete', user: 'forge' }

/** Nothing is done where the directory has the ref. A repository that is gone took everything with it. */
export async function dropReserved(
  uid: RepositoryUid,
  refUid: RefUid,
  { work: { directory }, clock }: ForgePortParts,
): Promise<void> {
  await directory.change(async ({ tables, number, putAs }) => {
    const repository = await findRepositoryByUid(tables, uid)
    const found = await tables
      .selectFrom('refs')
      .select('uid')
      .where('uid', '=', refUid)
      .executeTakeFirst()
    if (repository === undefined || found !== undefined) return
    const never = {
      ...{ uid: refUid, repository_uid: uid, name: `refs/latchkey/dropped/${refUid}` },
      ...{ commit_hash: noCommit, from_name: null, from_uid: null },
      ...{ forked_at: null, forked_number: null, created_at: clock() },
    }
    // The storage learns of removals from entries of refs that are deleted.
    const put = putAs(forgeOrigin)
    await put([{ thing: 'ref', after: never, repository }])
    await put(withNewEpoch([{ thing: 'ref', before: never, repository }], repository, number))
  })
}
