/** Refuses to delete refs of a forge's repository while others need their content: the hub cannot save it. */

import { type RefName, type Refusal, refKind, refuse, shortRefName } from '@latchkey/protocol'
import type { Reading } from '../tables/directory.ts'
import type { RefRow, RepositoryRow } from '../tables/rows.ts'
import { type Dependents, findDependents } from './dependents.ts'
import { isHeldByForge } from './held-by-forge.ts'

type Deleted = Pick<RefRow, 'uid' | 'name'>

/** `owner` is as the directory has it: a file that is applied may name another default branch. */
export async function refuseLosing(
  tables: Reading,
  owner: Pick<RepositoryRow, 'uid' | 'path' | 'default_branch'>,
  deleted: readonly Deleted[],
): Promise<Refusal | undefined> {
  if (deleted.length === 0 || !(await isHeldByForge(tables, owner.uid))) return undefined
  const dependents = await findDependents(tables, owner.uid, deleted)
  const needed = deleted.filter(({ uid }) => dependents.needed.has(uid))
  const [first] = needed
  if (first === undefined) return undefined
  const names = listed(needed.map(({ name }) => shortRefName(name)))
  const detail = `Deleting ${names} of ${owner.path} would lose content: ${whatNeeds(dependents)} may need what was uploaded there. ${wayOut(first, owner)}`
  return refuse('conflict', detail)
}

function whatNeeds({ commits, refs }: Dependents): string {
  const count = commits.length === 1 ? '1 commit' : `${commits.length} commits`
  const names = listed(refs.map(({ name }) => shortRefName(name)))
  return [
    ...(commits.length === 0 ? [] : [`${count} on record`]),
    ...(refs.length === 0 ? [] : [`the ${refs.length === 1 ? 'ref' : 'refs'} ${names}`]),
  ].join(' and ')
}

/** The forge deletes branches, and no default branch. */
function wayOut(
  { name }: Deleted,
  { path, default_branch }: Pick<RepositoryRow, 'path' | 'default_branch'>,
): string {
  const anyway = 'with --lose-content (over HTTP "loseContent") it is deleted all the same'
  if (refKind(name as RefName) !== 'branch')
    return `The forge has no way to save it either; ${anyway}.`
  const short = shortRefName(name)
  const first =
    name === default_branch ? 'Make another branch the default one, then delete' : 'Delete'
  return `${first} ${short} through the forge, which saves the content first: hf repos branch delete, or DELETE /api/${path}/branch/${encodeURIComponent(short)}; ${anyway}.`
}

const mostNamed = 3

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed
  return [...names.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
