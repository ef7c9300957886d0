/** Finds the obstacles to making or moving a ref, and words them. */

import { isMoving } from '@latchkey/admin-api'
import {
  type CommitHash,
  type NoCommit,
  noCommit,
  type RefName,
  type Refusal,
  refuse,
  shortRefName,
} from '@latchkey/protocol'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { RefRow, RepositoryRow } from '../tables/rows.ts'
import { findRefRow, maxRefs, twinOf } from './ref-rows.ts'

type Owner = Pick<RepositoryRow, 'path'>

/** Finds an obstacle to a new ref of this name. */
export async function findObstacle(
  tables: Reading,
  repository: RepositoryRow,
  name: RefName,
): Promise<Refusal | undefined> {
  const { uid } = repository
  const twin = twinOf(name)
  const twinRow = twin && (await findRefRow(tables, uid, twin))
  if (twinRow !== undefined) return twinTaken(twinRow.name, repository)
  const held = await countOf(tables.selectFrom('refs').where('repository_uid', '=', uid))
  return held < maxRefs ? undefined : tooManyRefs(repository)
}

export function noRef(name: string, { path }: Owner): Refusal {
  return refuse(
    'resource_not_found',
    `${path} has no ref ${shortRefName(name)}. Create it first, or write its full name if it is no branch.`,
    { next: setting(path, name) },
  )
}

/** `name` is the tag of a branch's name, or the branch of a tag's. */
export function twinTaken(name: string, { path }: Owner): Refusal {
  return refuse(
    'conflict',
    `${path} has ${name} already, and no name can be a branch and a tag at once. Choose another name, or delete that ref first.`,
    { next: ['ref', 'list', path] },
  )
}

export function tooManyRefs({ path }: Owner): Refusal {
  return refuse(
    'conflict',
    `${path} would have more than ${maxRefs} refs, which is the most there can be. Delete some first.`,
    { next: ['ref', 'list', path] },
  )
}

export function tagFromRef(name: string, { path }: Owner): Refusal {
  const detail = 'A tag cannot be made from a branch: it only names a commit. Leave out "from".'
  return refuse('bad_request', detail, { path: 'from', next: setting(path, name) })
}

export function tagWithoutCommit(name: string, { path }: Owner): Refusal {
  const detail = 'A new tag needs a commit: only branches and other moving refs can have none yet.'
  return refuse('bad_request', detail, { path: 'commit', next: setting(path, name) })
}

/** Where a ref was made from is history, so it may only be repeated. */
export function otherOrigin(
  { name, from_name: origin }: Pick<RefRow, 'name' | 'from_name'>,
  { path }: Owner,
): Refusal {
  const made = origin === null ? 'nothing' : shortRefName(origin)
  return refuse(
    'conflict',
    `${shortRefName(name)} was made from ${made}, and that can never change. Leave "from" out, or delete the ref first and create it again.`,
    { path: 'from', next: ['ref', 'show', path, shortRefName(name)] },
  )
}

interface Expectation {
  readonly name: RefName
  readonly expected: CommitHash | NoCommit
  /** The commit that it has; undefined when it does not exist. */
  readonly found: string | undefined
}

/** Somebody else has moved the ref, or it is not there, or it is there already. */
export function otherCommit({ name, expected, found }: Expectation, { path }: Owner): Refusal {
  const is = found === undefined ? 'does not exist' : `is at ${stateOf(found)}`
  return refuse(
    'conflict',
    `${shortRefName(name)} ${is}, not ${expected === noCommit ? 'without a commit' : `at ${expected}`} as expected. Nothing was changed. Look at the ref, and say what you expect now.`,
    { path: 'expect', next: ['ref', 'list', path] },
  )
}

/** A branch or another moving ref can be made without a commit, a tag cannot. */
function setting(path: string, name: string): readonly string[] {
  const commit = isMoving(name as RefName) ? [] : ['COMMIT']
  return ['ref', 'set', path, shortRefName(name), ...commit]
}

function stateOf(commit: string): string {
  return commit === noCommit ? 'no commit yet' : commit
}
