/** Tokens of a commit, and of the tags that name it, can lose by a new holder: writing needs every ref that holds it. */

import { sql } from 'kysely'
import { roleToWrite } from '../permission/reach.ts'
import type { CommitChange } from '../tables/change.ts'
import type { Reading } from '../tables/directory.ts'

/** The uids that such tokens name; none where every hub token and every role that sufficed before suffices still. */
export async function refsOfCommit(
  tables: Reading,
  { repository, commit, holders }: CommitChange,
  areLimited: AreLimited,
): Promise<readonly string[]> {
  const rules = JSON.parse(repository.ref_rules)
  const isClosed = holders.some(({ name }) => roleToWrite(rules, name) === 'admin')
  if (!isClosed && !(await areLimited())) return []
  const tags = await tables
    .selectFrom('refs')
    .select('uid')
    .where('repository_uid', '=', repository.uid)
    .where('commit_hash', '=', commit.hash)
    .where('name', 'like', 'refs/tags/%')
    .execute()
  return [commit.uid, ...tags.map(({ uid }) => uid)]
}

/** Whether there is a hub token that may use some refs and not others. */
export type AreLimited = () => Promise<boolean>

/** Looked up once for all changes of a transaction. */
export function limitsByRefs(tables: Reading): AreLimited {
  let found: Promise<boolean> | undefined
  return () => {
    found ??= findLimited(tables)
    return found
  }
}

async function findLimited(tables: Reading): Promise<boolean> {
  const limited = await tables
    .selectFrom('hub_tokens')
    .select('id')
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`cast(grants as text) like '%"refs"%'`)
    .limit(1)
    .executeTakeFirst()
  return limited !== undefined
}
