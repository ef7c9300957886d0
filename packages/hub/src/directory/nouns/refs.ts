/** Refs: branches, tags and others, each with a uid that its name never gets again. */

import { isMoving, type VerbTable } from '@latchkey/admin-api'
import {
  type CommitHash,
  formatRepoRef,
  formatTime,
  type RefName,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
  refuse,
  shortRefName,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { z } from 'zod'
import { countOf } from '../port/columns.ts'
import type { Reading } from '../port/directory.ts'
import type { NewRefRow } from '../port/rows.ts'
import type { Does } from './does.ts'
import { withNewEpoch } from './epochs.ts'
import { makePage } from './page.ts'
import { recordingOf } from './record-commits.ts'
import { findRefRow, mostRefs, moveRef, newRefRow, noRef, twinOf } from './ref-rows.ts'
import { findRepositoryRow, noRepository } from './repository-rows.ts'

export const createRef: Does<'ref create'> = async (work, { repository, ref, commit, from }) => {
  const { tables, put } = work
  const owner = await findRepositoryRow(tables, repository)
  if (owner === undefined) return noRepository(repository)
  const origin = from && (await findRefRow(tables, owner.uid, from))
  if (from !== undefined && origin === undefined) return noRef(from, repository)
  if (origin !== undefined && !isMoving(ref)) return tagFromRef()
  const hash = commit ?? (origin?.commit_hash as CommitHash | undefined)
  if (hash === undefined) return noCommit()
  const obstacle = await findObstacle(tables, { repository, uid: owner.uid, ref })
  if (obstacle !== undefined) return obstacle
  const row = newRefRow(work, owner.uid, { name: ref, commit: hash, from: origin })
  const recording = await recordingOf(work, owner, [{ hash, holders: isMoving(ref) ? [row] : [] }])
  await put([{ thing: 'ref', after: row, repository: owner }, ...recording])
  return shown(row)
}

export const showRef: Does<'ref show'> = async ({ tables }, { repository, ref }) => {
  const owner = await findRepositoryRow(tables, repository)
  if (owner === undefined) return noRepository(repository)
  const row = await findRefRow(tables, owner.uid, ref)
  return row === undefined ? noRef(ref, repository) : shown(row)
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
  return makePage({ rows, total: await countOf(all), limit }, shown, (row) => row.name)
}

export const setRef: Does<'ref set'> = async (work, { repository, ref: name, commit }) => {
  const { tables, number, put } = work
  const owner = await findRepositoryRow(tables, repository)
  if (owner === undefined) return noRepository(repository)
  const row = await findRefRow(tables, owner.uid, name)
  if (row === undefined) return noRef(name, repository)
  const { ref, changes } = moveRef(work, { repository: owner, ref: row, commit })
  const holders = isMoving(name) ? [ref] : []
  const recording = await recordingOf(work, owner, [{ hash: commit, holders }])
  await put([...withNewEpoch(changes, owner, number), ...recording])
  return shown(ref)
}

export const deleteRef: Does<'ref delete'> = async (work, { repository, ref }) => {
  const { tables, number, put } = work
  const owner = await findRepositoryRow(tables, repository)
  if (owner === undefined) return noRepository(repository)
  const row = await findRefRow(tables, owner.uid, ref)
  if (row === undefined) return noRef(ref, repository)
  const deletion = { thing: 'ref', before: row, repository: owner } as const
  await put(withNewEpoch([deletion], owner, number))
  return { deleted: row.name }
}

interface Place {
  readonly repository: RepoRef
  readonly uid: RepositoryUid
  readonly ref: RefName
}

/** What stands in the way of a new ref. */
async function findObstacle(
  tables: Reading,
  { repository, uid, ref }: Place,
): Promise<Refusal | undefined> {
  for (const name of [ref, twinOf(ref)]) {
    const existing = name === undefined ? undefined : await findRefRow(tables, uid, name)
    if (existing !== undefined) return refTaken(existing.name, repository)
  }
  const held = await countOf(tables.selectFrom('refs').where('repository_uid', '=', uid))
  return held < mostRefs ? undefined : tooManyRefs(repository)
}

function refTaken(name: string, repository: RepoRef): Refusal {
  return refuse(
    'conflict',
    `${formatRepoRef(repository)} has ${name} already, and no name can be a branch and a tag at once. Choose another name, or move that ref.`,
  )
}

export function tooManyRefs(repository: RepoRef): Refusal {
  return refuse(
    'conflict',
    `${formatRepoRef(repository)} would have more than ${mostRefs} refs, which is the most there can be. Delete some first.`,
  )
}

function tagFromRef(): Refusal {
  const detail = 'A tag cannot be made from a branch: it only names a commit. Leave out "from".'
  return refuse('bad_request', detail, { path: 'from' })
}

function noCommit(): Refusal {
  const detail = 'The new ref needs a commit: name one, or a branch that it is made from.'
  return refuse('bad_request', detail, { path: 'commit' })
}

function shown(row: NewRefRow): z.input<VerbTable['ref show']['output']> {
  return {
    uid: row.uid,
    name: row.name,
    commit: row.commit_hash,
    ...(row.from_name == null ? {} : { from: shortRefName(row.from_name) }),
    ...(row.forked_at == null ? {} : { forkedAt: formatTime(row.forked_at as UnixSeconds) }),
    createdAt: formatTime(row.created_at as UnixSeconds),
  }
}
