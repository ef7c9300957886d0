/** Rows of refs: found, made, moved, and the words for one that is not there. */

import {
  type CommitHash,
  formatRepoRef,
  type RefName,
  type Refusal,
  type RepoRef,
  refKind,
  refuse,
  shortRefName,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/random'
import type { Insertable, Selectable } from 'kysely'
import type { Tables, Work } from './directory.ts'
import type { Schema } from './schema.ts'
import { isMoving, readRef } from './words.ts'

export type RefRow = Selectable<Schema['refs']>
export type NewRefRow = Insertable<Schema['refs']>

/** A repository holds at most this many refs. */
export const mostRefs = 10_000

export interface NewRef {
  readonly name: RefName
  readonly commit: CommitHash
  readonly from?: { readonly name: string; readonly uid: string } | undefined
}

export function newRefRow(
  { now, randomBytes }: Work,
  repositoryUid: string,
  { name, commit, from }: NewRef,
): NewRefRow {
  return {
    uid: newId(randomBytes),
    repository_uid: repositoryUid,
    name,
    commit_hash: commit,
    from_name: from?.name ?? null,
    from_uid: from?.uid ?? null,
    forked_at: from === undefined ? null : now,
    created_at: now,
  }
}

export interface Move {
  readonly ref: Pick<RefRow, 'uid' | 'commit_hash'> & { readonly name: RefName }
  readonly commit: CommitHash
}

/**
 * Points a ref to another commit and gives its uid. A tag is deleted and made again, so its uid is a new one: what was
 * written under the tag belonged to the commit that it leaves.
 */
export async function moveRefRow(
  work: Work,
  repositoryUid: string,
  { ref: { uid, name, commit_hash }, commit }: Move,
): Promise<string> {
  const { tables } = work
  if (commit_hash === commit) return uid
  if (isMoving(name)) {
    await tables.updateTable('refs').set({ commit_hash: commit }).where('uid', '=', uid).execute()
    return uid
  }
  await tables.deleteFrom('refs').where('uid', '=', uid).execute()
  const made = newRefRow(work, repositoryUid, { name, commit })
  await tables.insertInto('refs').values(made).execute()
  return made.uid
}

export function findRefRow(
  tables: Tables,
  repositoryUid: string,
  name: string,
): Promise<RefRow | undefined> {
  return tables
    .selectFrom('refs')
    .selectAll()
    .where('repository_uid', '=', repositoryUid)
    .where('name', '=', name)
    .executeTakeFirst()
}

/** The tag of a branch's name or the branch of a tag's: both at once would hijack a revision. */
export function twinOf(name: RefName): RefName | undefined {
  switch (refKind(name)) {
    case 'branch':
      return readRef(`refs/tags/${name.slice('refs/heads/'.length)}`)
    case 'tag':
      return readRef(`refs/heads/${name.slice('refs/tags/'.length)}`)
    case 'other':
      return undefined
  }
}

export function noRef(name: string, repository: RepoRef): Refusal {
  return refuse(
    'resource_not_found',
    `${formatRepoRef(repository)} has no ref ${shortRefName(name)}. Create it first, or write its full name if it is no branch.`,
  )
}
