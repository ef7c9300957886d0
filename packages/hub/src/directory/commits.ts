/** Commits on record: each once per repository, with the moving refs that hold it and since when. */

import { type CommitHash, formatTime, shortRefName, type UnixSeconds } from '@latchkey/protocol'
import { newId } from '@latchkey/service/random'
import type { Insertable, Selectable } from 'kysely'
import { z } from 'zod'
import { countOf } from './columns.ts'
import type { Tables, Work } from './directory.ts'
import { operation } from './operation.ts'
import { makePage, pageOf, paging } from './page.ts'
import { findRefRow, noRef } from './ref-rows.ts'
import { findRepositoryRow, namedRepository, noRepository } from './repositories.ts'
import type { Schema } from './schema.ts'
import { commitHash, moment, movingRef } from './words.ts'

type CommitRow = Selectable<Schema['commits']>

/** An answer stays small even for a commit that thousands of branches hold. */
const mostShownHolders = 100

const commit = z.object({
  uid: z.string(),
  hash: z.string(),
  recordedAt: moment,
  on: z
    .array(z.string())
    .describe('The refs that hold it, the first to record it first; at most 100.'),
})

export const recordCommit = operation({
  summary: 'Put a commit on record, and on the branches that hold it.',
  input: z.strictObject({
    repository: namedRepository,
    hash: commitHash.describe('The full hash of the commit.'),
    on: z
      .array(movingRef)
      .max(1000)
      .default([])
      .describe('A branch that holds the commit, or a full name such as refs/pr/1.'),
  }),
  output: commit,
  async run(work, { repository, hash, on }) {
    const { tables } = work
    const row = await findRepositoryRow(tables, repository)
    if (row === undefined) return noRepository(repository)
    const holders: string[] = []
    for (const name of on) {
      const ref = await findRefRow(tables, row.uid, name)
      if (ref === undefined) return noRef(name, repository)
      holders.push(ref.uid)
    }
    await putOnRecord(work, row.uid, hash, holders)
    const recorded = await tables
      .selectFrom('commits')
      .selectAll()
      .where('repository_uid', '=', row.uid)
      .where('hash', '=', hash)
      .executeTakeFirstOrThrow()
    return showCommit(tables, recorded)
  },
})

export const listCommits = operation({
  summary: 'List the commits on record in a repository by hash.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(commit),
  async run({ tables }, { repository, limit, after = '' }) {
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
    for (const row of page.items) items.push(await showCommit(tables, row))
    return { ...page, items }
  },
})

/** The first moment on record stays: what was written later must not become visible through it. */
export async function putOnRecord(
  work: Work,
  repositoryUid: string,
  hash: CommitHash,
  holders: readonly string[],
): Promise<void> {
  const { tables } = work
  await tables
    .insertInto('commits')
    .values(newCommitRow(work, repositoryUid, hash))
    .onConflict((existing) => existing.columns(['repository_uid', 'hash']).doNothing())
    .execute()
  for (const refUid of holders) {
    await tables
      .insertInto('commit_holders')
      .values(newHolderRow(work, repositoryUid, hash, refUid))
      .onConflict((existing) => existing.columns(['repository_uid', 'hash', 'ref_uid']).doNothing())
      .execute()
  }
}

export function newCommitRow(
  { now, randomBytes }: Work,
  repositoryUid: string,
  hash: string,
): Insertable<Schema['commits']> {
  return { uid: newId(randomBytes), repository_uid: repositoryUid, hash, recorded_at: now }
}

export function newHolderRow(
  { now }: Work,
  repositoryUid: string,
  hash: string,
  refUid: string,
): Insertable<Schema['commit_holders']> {
  return { repository_uid: repositoryUid, hash, ref_uid: refUid, recorded_at: now }
}

async function showCommit(tables: Tables, row: CommitRow): Promise<z.input<typeof commit>> {
  const holders = await tables
    .selectFrom('commit_holders')
    .innerJoin('refs', 'refs.uid', 'commit_holders.ref_uid')
    .select('refs.name')
    .where('commit_holders.repository_uid', '=', row.repository_uid)
    .where('commit_holders.hash', '=', row.hash)
    .orderBy('commit_holders.position')
    .limit(mostShownHolders)
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
