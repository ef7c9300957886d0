/** Commits on record: each once per repository, with the moving refs that hold it and since when. */

import { maxShownHolders } from '@latchkey/admin-api'
import { formatTime, shortRefName, type UnixSeconds } from '@latchkey/protocol'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { CommitRow, RefRow } from '../tables/rows.ts'
import { type Does, makePage } from './does.ts'
import { recordingOf } from './record-commits.ts'
import { noRef } from './ref-refusals.ts'
import { findRefRow } from './ref-rows.ts'
import { findRepositoryRow, noRepository } from './repository-rows.ts'

export const recordCommit: Does<'commit record'> = async (work, { repository, hash, on }) => {
  const { tables, put } = work
  const row = await findRepositoryRow(tables, repository)
  if (row === undefined) return noRepository(repository)
  const holders: RefRow[] = []
  for (const name of on) {
    const ref = await findRefRow(tables, row.uid, name)
    if (ref === undefined) return noRef(name, row)
    holders.push(ref)
  }
  await put(await recordingOf(work, row, [{ hash, holders }]))
  const recorded = await tables
    .selectFrom('commits')
    .selectAll()
    .where('repository_uid', '=', row.uid)
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow()
  return commitOutput(tables, recorded)
}

export const listCommits: Does<'commit list'> = async ({ tables }, input) => {
  const { repository, limit, after = '' } = input
  const row = await findRepositoryRow(tables, repository)
  if (row === undefined) return noRepository(repository)
  const all = tables.selectFrom('commits').where('repository_uid', '=', row.uid)
  const rows = await all
    .selectAll()
    .where('hash', '>', after)
    .orderBy('hash')
    .limit(limit + 1)
    .execute()
  const page = makePage({ rows, total: await countOf(all), limit }, same, ({ hash }) => hash)
  const items = []
  for (const row of page.items) items.push(await commitOutput(tables, row))
  return { ...page, items }
}

async function commitOutput(tables: Reading, row: CommitRow) {
  const holders = await tables
    .selectFrom('commit_holders')
    .innerJoin('refs', 'refs.uid', 'commit_holders.ref_uid')
    .select('refs.name')
    .where('commit_holders.repository_uid', '=', row.repository_uid)
    .where('commit_holders.hash', '=', row.hash)
    .orderBy('commit_holders.position')
    .limit(maxShownHolders)
    .execute()
  return {
    uid: row.uid,
    hash: row.hash,
    recordedAt: formatTime(row.recorded_at as UnixSeconds),
    on: holders.map(({ name }) => shortRefName(name)),
  }
}

function same(row: CommitRow): CommitRow {
  return row
}
