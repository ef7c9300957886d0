/** Rows of repositories: found, made, changed, and the words for one that is not there. */

import {
  defaultStorage,
  formatRepoRef,
  isRefusal,
  type JournalNumber,
  type RefName,
  type Refusal,
  type RepoRef,
  type RepositoryUid,
  refuse,
  type StorageName,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import type { Change, Origin } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Directory, Reading, Transaction, Work } from '../tables/directory.ts'
import type { NamespaceRow, RepositoryRow } from '../tables/rows.ts'
import { changedQuota, type QuotaWish } from './quotas.ts'

interface RepositoryWish {
  readonly visibility?: 'public' | 'private' | undefined
  readonly defaultBranch?: RefName | undefined
  readonly quota?: QuotaWish | undefined
}

interface NewRepository extends RepositoryWish {
  readonly path: string
  /** Where its content goes, if not to the storage of its namespace. */
  readonly storage?: StorageName | undefined
}

export function newRepositoryRow(
  { now, randomBytes }: Work,
  namespace: Pick<NamespaceRow, 'id' | 'storage'>,
  { path, storage, ...wish }: NewRepository,
): RepositoryRow {
  const plain = { visibility: 'private', default_branch: 'refs/heads/main', ref_rules: '[]' }
  const ids = { uid: newId<RepositoryUid>(randomBytes), namespace_id: namespace.id, path }
  const place = {
    storage: storage ?? namespace.storage ?? defaultStorage,
    moves_to: null,
    moves_number: null,
    quota_bytes: null,
  }
  return changedRepositoryRow({ ...ids, created_at: now, ...plain, epoch: 0, ...place }, wish)
}

export function changedRepositoryRow(row: RepositoryRow, wish: RepositoryWish): RepositoryRow {
  return {
    ...row,
    visibility: wish.visibility ?? row.visibility,
    default_branch: wish.defaultBranch ?? row.default_branch,
    quota_bytes: changedQuota(row, wish.quota),
  }
}

export function findRepositoryRow(
  tables: Reading,
  repo: RepoRef,
): Promise<RepositoryRow | undefined> {
  const path = formatRepoRef(repo)
  return tables.selectFrom('repositories').selectAll().where('path', '=', path).executeTakeFirst()
}

export function findRepositoryByUid(
  tables: Reading,
  uid: RepositoryUid | null,
): Promise<RepositoryRow | undefined> {
  return tables.selectFrom('repositories').selectAll().where('uid', '=', uid).executeTakeFirst()
}

export function noRepository(repo: RepoRef): Refusal {
  return refuse(
    'resource_not_found',
    `There is no repository ${formatRepoRef(repo)}. Names are matched exactly; create the repository first.`,
    { next: ['repo', 'create', formatRepoRef(repo)] },
  )
}

export function repositoryTaken(path: string): Refusal {
  return refuse(
    'conflict',
    `There is a repository ${path} already, and names must differ by more than case. Choose another name.`,
    { next: ['repo', 'show', path] },
  )
}

/**
 * The changes of one repository, and its new epoch where they delete a ref. Clients may remember content of the ref as
 * uploaded; the hub does not know whether the ref had any.
 */
export function withNewEpoch(
  changes: readonly Change[],
  repository: RepositoryRow,
  number: JournalNumber,
): Change[] {
  const losesRef = changes.some((change) => change.thing === 'ref' && change.after === undefined)
  return losesRef ? [...changes, raisedEpoch(repository, number)] : [...changes]
}

/** Raises the epochs of these repositories, or of all: of one storage, or of every one. Gives how many there are; other uids are left out. */
export async function raiseEpochs(
  directory: Directory,
  origin: Origin,
  uids: readonly RepositoryUid[] | 'all',
  storage?: StorageName,
): Promise<number> {
  const raised = await directory.change((transaction) =>
    raiseEpochsIn(transaction, origin, uids, storage),
  )
  if (isRefusal(raised)) throw new Error(raised.detail)
  return raised
}

/** The same within a transaction. */
export async function raiseEpochsIn(
  { tables, number, putAs }: Transaction,
  origin: Origin,
  uids: readonly RepositoryUid[] | 'all',
  storage?: StorageName,
): Promise<number> {
  const all = uids === 'all' ? await allRows(tables) : await rowsOf(tables, uids)
  const rows = all.filter((row) => storage === undefined || row.storage === storage)
  await putAs(origin)(rows.map((row) => raisedEpoch(row, number)))
  return rows.length
}

/** A number is never used twice, also in a database that was restored. So no address comes a second time. */
function raisedEpoch(before: RepositoryRow, number: JournalNumber): Change {
  return { thing: 'repository', before, after: { ...before, epoch: number } }
}

function allRows(tables: Reading): Promise<RepositoryRow[]> {
  return tables.selectFrom('repositories').selectAll().orderBy('path').execute()
}

async function rowsOf(
  tables: Reading,
  uids: readonly RepositoryUid[],
): Promise<readonly RepositoryRow[]> {
  const rows: RepositoryRow[] = []
  for (const some of chunked([...new Set(uids)])) {
    const found = tables.selectFrom('repositories').selectAll().where('uid', 'in', some)
    rows.push(...(await found.execute()))
  }
  return rows
}
