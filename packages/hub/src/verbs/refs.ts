/** Refs: branches, tags and others, each with a uid that its name never gets again. */

import { isMoving, type VerbTable } from '@latchkey/admin-api'
import {
  type CommitHash,
  formatTime,
  isRefusal,
  noCommit,
  type RefName,
  type Refusal,
  shortRefName,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { z } from 'zod'
import type { RefChange } from '../tables/change.ts'
import { countOf } from '../tables/columns.ts'
import type { ChangeWork } from '../tables/directory.ts'
import type { NewRefRow, RefRow, RepositoryRow } from '../tables/rows.ts'
import { type Changing, type Does, makePage } from './does.ts'
import { recordingOf } from './record-commits.ts'
import {
  findObstacle,
  noRef,
  otherCommit,
  otherOrigin,
  tagFromRef,
  tagWithoutCommit,
} from './ref-refusals.ts'
import { findRefRow, headOf, moveRef, newRefRow } from './ref-rows.ts'
import { refuseLosing } from './refuse-losing.ts'
import { findRepositoryRow, noRepository, withNewEpoch } from './repository-rows.ts'

export const showRef: Does<'ref show'> = async ({ tables }, { repository, ref }) => {
  const owner = await findRepositoryRow(tables, repository)
  if (owner === undefined) return noRepository(repository)
  const row = await findRefRow(tables, owner.uid, ref)
  return row === undefined ? noRef(ref, owner) : refOutput(row)
}

export const listRefs: Does<'ref list'> = async ({ tables }, { repository, limit, after = '' }) => {
  const owner = await findRepositoryRow(tables, repository)
  if (owner === undefined) return noRepository(repository)
  const all = tables.selectFrom('refs').where('repository_uid', '=', owner.uid)
  const rows = await all
    .selectAll()
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit + 1)
    .execute()
  return makePage({ rows, total: await countOf(all), limit }, refOutput, (row) => row.name)
}

export const setRef: Does<'ref set'> = async (work, { repository, ref: name, ...wish }) => {
  const { tables, number, put } = work
  const owner = await findRepositoryRow(tables, repository)
  if (owner === undefined) return noRepository(repository)
  const row = await findRefRow(tables, owner.uid, name)
  const { expect } = wish
  if (expect !== undefined && expect !== (row?.commit_hash ?? noCommit)) {
    return otherCommit({ name, expected: expect, found: row?.commit_hash }, owner)
  }
  const set =
    row === undefined
      ? await makeRef(work, owner, { name, ...wish })
      : changeRef(work, owner, { row, ...wish })
  if (isRefusal(set)) return set
  const recording = await recordingOf(work, owner, headOf(set.ref))
  await put([...withNewEpoch(set.changes, owner, number), ...recording])
  return refOutput(set.ref)
}

export const deleteRef: Does<'ref delete'> = async (work, { repository, ref, loseContent }) => {
  const { tables, number, put } = work
  const owner = await findRepositoryRow(tables, repository)
  if (owner === undefined) return noRepository(repository)
  const row = await findRefRow(tables, owner.uid, ref)
  if (row === undefined) return noRef(ref, owner)
  const needed = loseContent ? undefined : await refuseLosing(tables, owner, [row])
  if (needed !== undefined) return needed
  const deletion = { thing: 'ref', before: row, repository: owner } as const
  await put(withNewEpoch([deletion], owner, number))
  return { deleted: row.name }
}

interface SetRef {
  readonly ref: NewRefRow
  readonly changes: readonly RefChange[]
}

interface RefWish {
  readonly commit?: CommitHash | undefined
  readonly from?: RefName | undefined
}

async function makeRef(
  work: Changing,
  repository: RepositoryRow,
  { name, commit, from }: RefWish & { readonly name: RefName },
): Promise<SetRef | Refusal> {
  const { tables } = work
  const origin = from && (await findRefRow(tables, repository.uid, from))
  if (from !== undefined && origin === undefined) return noRef(from, repository)
  if (origin !== undefined && !isMoving(name)) return tagFromRef(name, repository)
  if (commit === undefined && !isMoving(name)) return tagWithoutCommit(name, repository)
  const obstacle = await findObstacle(tables, repository, name)
  if (obstacle !== undefined) return obstacle
  const { newRefUid: uid, isProposed = false, actor } = work
  const proposer = isProposed ? actor?.accountId : undefined
  const ref = newRefRow(work, repository.uid, { name, commit, from: origin, uid, proposer })
  return { ref, changes: [{ thing: 'ref', after: ref, repository }] }
}

function changeRef(
  work: ChangeWork,
  repository: RepositoryRow,
  { row, commit, from }: RefWish & { readonly row: RefRow },
): SetRef | Refusal {
  if (from !== undefined && row.from_name !== from) return otherOrigin(row, repository)
  return commit === undefined
    ? { ref: row, changes: [] }
    : moveRef(work, { repository, ref: row, commit })
}

function refOutput(row: NewRefRow): z.input<VerbTable['ref show']['output']> {
  return {
    uid: row.uid,
    name: row.name,
    commit: row.commit_hash,
    ...(row.from_name == null ? {} : { from: shortRefName(row.from_name) }),
    ...(row.forked_at == null ? {} : { forkedAt: formatTime(row.forked_at as UnixSeconds) }),
    createdAt: formatTime(row.created_at as UnixSeconds),
  }
}
