/** Trusted publishers that were deleted or narrowed. */

import { deletedPublisher } from '../verbs/publisher-rows.ts'
import { findRepositoryByUid } from '../verbs/repository-rows.ts'
import { notThere, type Repeat, type Repetition, repeated } from './commits.ts'

/** The backup's rule may admit more than the narrower one did, so the rule does not come back. */
export const repeatPublisher: Repeat = async ({ tables, put }, entry) => {
  const repository = await findRepositoryByUid(tables, entry.repository_uid)
  const row = await tables
    .selectFrom('trusted_publishers')
    .selectAll()
    .where('account_id', '=', entry.account_id)
    .executeTakeFirst()
  const account = await tables
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', entry.account_id)
    .executeTakeFirst()
  if (repository === undefined || row === undefined || account === undefined) return notThere
  await put([deletedPublisher(repository, { row, account })])
  return entry.did === 'deleted' ? repeated : deletedInstead
}

const deletedInstead: Repetition = {
  outcome: 'made safe',
  detail: 'The rule was narrowed after the backup: it is deleted. Create it again.',
}
