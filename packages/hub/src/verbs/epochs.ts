/** Epochs: a repository that may have lost stored content gets addresses that it never had. */

import { isRefusal, type JournalNumber, type RepositoryUid } from '@latchkey/protocol'
import type { Change, Origin } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Directory, Reading, Transaction } from '../tables/directory.ts'
import type { RepositoryRow } from '../tables/rows.ts'

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

/** Raises the epochs of these repositories, or of all. Gives how many there are; unknown uids are left out. */
export async function raiseEpochs(
  directory: Directory,
  origin: Origin,
  uids: readonly RepositoryUid[] | 'all',
): Promise<number> {
  const raised = await directory.change((transaction) => raiseEpochsIn(transaction, origin, uids))
  if (isRefusal(raised)) throw new Error(raised.detail)
  return raised
}

/** The same within a transaction. */
export async function raiseEpochsIn(
  { tables, number, putAs }: Transaction,
  origin: Origin,
  uids: readonly RepositoryUid[] | 'all',
): Promise<number> {
  const rows = uids === 'all' ? await allRows(tables) : await rowsOf(tables, uids)
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
