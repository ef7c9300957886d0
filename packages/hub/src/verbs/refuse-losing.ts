/** Refuses to delete refs of a held repository while others need their content: the hub cannot save it. */

import {
  type RefName,
  type Refusal,
  type RepositoryUid,
  refKind,
  refuse,
  shortRefName,
} from '@latchkey/protocol'
import { chunked } from '../tables/columns.ts'
import type { Directory, Reading } from '../tables/directory.ts'
import type { RefRow, RepositoryRow } from '../tables/rows.ts'
import { type Dependents, findDependents } from './dependents.ts'

type Deleted = Pick<RefRow, 'uid' | 'name'>

/** `owner` is as the directory has it: a file that is applied may name another default branch. */
export async function refuseLosing(
  tables: Reading,
  owner: Pick<RepositoryRow, 'uid' | 'path' | 'default_branch'>,
  deleted: readonly Deleted[],
): Promise<Refusal | undefined> {
  if (deleted.length === 0 || !(await isHeld(tables, owner.uid))) return undefined
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

const maxNamed = 3

function listed(names: readonly string[]): string {
  const more = names.length - maxNamed
  return [...names.slice(0, maxNamed), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** In the database: a command may work on it from a machine that has no repositories of git. */
const markOf = (uid: RepositoryUid) => `held:${uid}`

async function isHeld(tables: Reading, uid: RepositoryUid): Promise<boolean> {
  return (await held(tables, [uid])).size > 0
}

/** To be called before the service that will hold their commits has anything of them: that service alone can save their content. */
export async function markAsHeld(
  directory: Directory,
  uids: readonly RepositoryUid[],
): Promise<void> {
  const marks = await directory.readBeside((tables) => held(tables, uids))
  const added = uids.filter((uid) => !marks.has(markOf(uid)))
  if (added.length === 0) return
  await directory.note('held mark', async ({ tables }) => {
    for (const some of chunked(added)) {
      await tables
        .insertInto('settings')
        .values(some.map((uid) => ({ name: markOf(uid), value: 'yes' })))
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
    }
  })
}

/** For a repository that this service has removed. */
export async function unmarkHeld(directory: Directory, uid: RepositoryUid): Promise<void> {
  await directory.note('held mark', async ({ tables }) => {
    await tables.deleteFrom('settings').where('name', '=', markOf(uid)).execute()
  })
}

async function held(tables: Reading, uids: readonly RepositoryUid[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const some of chunked(uids.map(markOf))) {
    const rows = await tables
      .selectFrom('settings')
      .select('name')
      .where('name', 'in', some)
      .execute()
    for (const { name } of rows) found.add(name)
  }
  return found
}
