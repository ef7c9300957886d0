/** Refs: branches, tags and others, each with a uid that its name never gets again. */

import {
  type CommitHash,
  formatRepoRef,
  formatTime,
  type RefName,
  type Refusal,
  type RepoRef,
  refuse,
  shortRefName,
  type UnixSeconds,
} from '@latchkey/protocol'
import { z } from 'zod'
import { countOf } from './columns.ts'
import { putOnRecord } from './commits.ts'
import type { Tables } from './directory.ts'
import { operation } from './operation.ts'
import { makePage, pageOf, paging } from './page.ts'
import {
  findRefRow,
  mostRefs,
  moveRefRow,
  type NewRefRow,
  newRefRow,
  noRef,
  twinOf,
} from './ref-rows.ts'
import { findRepositoryRow, namedRepository, noRepository } from './repositories.ts'
import { commitHash, isMoving, moment, movingRef, ref } from './words.ts'

const namedRef = ref.describe(
  'The ref: a branch such as main, or a full name such as refs/tags/v1.0 or refs/pr/1.',
)

const shown = z.object({
  uid: z
    .string()
    .describe('The id that storage tokens carry; a ref made again, or a tag moved, has another.'),
  name: z.string(),
  commit: z.string(),
  from: z.string().optional().describe('The ref it was made from.'),
  forkedAt: moment.optional(),
  createdAt: moment,
})

export const createRef = operation({
  summary: 'Make a branch, a tag or another ref, and put its commit on record.',
  input: z.strictObject({
    repository: namedRepository,
    ref: namedRef,
    commit: commitHash
      .optional()
      .describe(
        'The full hash it points to; without one, the commit of the branch it is made from.',
      ),
    from: movingRef
      .optional()
      .describe('The branch it is made from, whose content up to now it shares; never changes.'),
  }),
  output: shown,
  async run(work, { repository, ref, commit, from }) {
    const { tables } = work
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
    await tables.insertInto('refs').values(row).execute()
    await putOnRecord(work, owner.uid, hash, isMoving(ref) ? [row.uid] : [])
    return showRef(row)
  },
})

export const showOneRef = operation({
  summary: 'Show one ref.',
  input: z.strictObject({ repository: namedRepository, ref: namedRef }),
  output: shown,
  async run({ tables }, { repository, ref }) {
    const owner = await findRepositoryRow(tables, repository)
    if (owner === undefined) return noRepository(repository)
    const row = await findRefRow(tables, owner.uid, ref)
    return row === undefined ? noRef(ref, repository) : showRef(row)
  },
})

export const listRefs = operation({
  summary: 'List the refs of a repository by full name.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(shown),
  async run({ tables }, { repository, limit, after = '' }) {
    const owner = await findRepositoryRow(tables, repository)
    if (owner === undefined) return noRepository(repository)
    const all = tables.selectFrom('refs').where('repository_uid', '=', owner.uid)
    const rows = await all
      .selectAll()
      .where('name', '>', after)
      .orderBy('name')
      .limit(limit + 1)
      .execute()
    return makePage({ rows, total: await countOf(all), limit }, showRef, (row) => row.name)
  },
})

export const setRef = operation({
  summary:
    'Move a ref to another commit; the commit it leaves stays on record. A moved tag becomes another tag: what was uploaded under it is removed for good.',
  input: z.strictObject({
    repository: namedRepository,
    ref: namedRef,
    commit: commitHash.describe('The full hash it points to from now on.'),
  }),
  output: shown,
  async run(work, { repository, ref, commit }) {
    const { tables } = work
    const owner = await findRepositoryRow(tables, repository)
    if (owner === undefined) return noRepository(repository)
    const row = await findRefRow(tables, owner.uid, ref)
    if (row === undefined) return noRef(ref, repository)
    const uid = await moveRefRow(work, owner.uid, { ref: { ...row, name: ref }, commit })
    await putOnRecord(work, owner.uid, commit, isMoving(ref) ? [uid] : [])
    return showRef((await findRefRow(tables, owner.uid, ref)) ?? row)
  },
})

export const deleteRef = operation({
  summary: 'Delete a ref; its commits stay on record.',
  input: z.strictObject({ repository: namedRepository, ref: namedRef }),
  output: z.object({ deleted: z.string().describe('The ref that is gone.') }),
  async run({ tables }, { repository, ref }) {
    const owner = await findRepositoryRow(tables, repository)
    if (owner === undefined) return noRepository(repository)
    const row = await findRefRow(tables, owner.uid, ref)
    if (row === undefined) return noRef(ref, repository)
    await tables.deleteFrom('refs').where('uid', '=', row.uid).execute()
    return { deleted: row.name }
  },
})

interface Place {
  readonly repository: RepoRef
  readonly uid: string
  readonly ref: RefName
}

/** What stands in the way of a new ref. */
async function findObstacle(
  tables: Tables,
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

function showRef(row: NewRefRow): z.input<typeof shown> {
  return {
    uid: row.uid,
    name: row.name,
    commit: row.commit_hash,
    ...(row.from_name == null ? {} : { from: shortRefName(row.from_name) }),
    ...(row.forked_at == null ? {} : { forkedAt: formatTime(row.forked_at as UnixSeconds) }),
    createdAt: formatTime(row.created_at as UnixSeconds),
  }
}
