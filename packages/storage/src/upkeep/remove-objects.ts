/** Removes objects that no row of any repository names. */

import { inBatches } from '../catalog/batches.ts'
import { hold } from '../catalog/locks.ts'
import type { StorageTables } from '../catalog/schema.ts'
import type { Digest } from '../objects/port.ts'
import type { Upkeep } from './upkeep.ts'

/** Removing large files takes a disk a while, in which nobody can write. */
const mostRemovedAtOnce = 20

/** How many of the rows that name an object are about to go. */
export type Leaving = ReadonlyMap<Digest, number>

export function leavingOf(rows: Iterable<{ readonly digest: Digest }>): Leaving {
  const leaving = new Map<Digest, number>()
  for (const { digest } of rows) leaving.set(digest, (leaving.get(digest) ?? 0) + 1)
  return leaving
}

/** Those that no row names, or only rows that are about to go. */
export async function unnamed(
  tables: StorageTables,
  digests: readonly Digest[],
  leaving: Leaving = new Map(),
): Promise<readonly Digest[]> {
  const found: Digest[] = []
  for (const some of inBatches(digests)) {
    const rows = await tables
      .selectFrom('stored_xorbs')
      .select(({ fn }) => ['digest', fn.countAll<number>().as('rows')])
      .where('digest', 'in', some)
      .groupBy('digest')
      .execute()
    const named = new Map(rows.map(({ digest, rows }) => [digest as Digest, rows]))
    const isFree = (digest: Digest) => (named.get(digest) ?? 0) <= (leaving.get(digest) ?? 0)
    found.push(...some.filter(isFree))
  }
  return found
}

/**
 * Gives those that were there and went. An upload names its object in such a transaction too, so none can begin to
 * need it meanwhile.
 */
export async function removeUnnamed(
  { change, objects }: Upkeep,
  digests: readonly Digest[],
): Promise<readonly Digest[]> {
  const gone: Digest[] = []
  for (const some of inBatches(digests, mostRemovedAtOnce)) {
    const removed = await change(async (tables) => {
      await hold(tables, { objects: { digests: some, mode: 'alone' } })
      const there: Digest[] = []
      for (const digest of await unnamed(tables, some)) {
        if (!(await objects.has(digest))) continue
        await objects.remove(digest)
        there.push(digest)
      }
      return there
    })
    gone.push(...removed)
  }
  return gone
}
