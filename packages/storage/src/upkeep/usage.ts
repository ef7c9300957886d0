/** How much the storage holds: by repository as if nothing were shared, and on the disk as it is. */

import { isRefusal, type Refusal, type RepoRef } from '@latchkey/protocol'
import { type Amount, nothing, plus } from './amount.ts'
import { findRepository, named } from './repository-names.ts'
import type { Upkeep } from './upkeep.ts'

export interface RepositoryUsage {
  readonly repository: string
  readonly bytes: number
  readonly objects: number
}

export interface Usage {
  /** Those that hold something, in order of their names. */
  readonly repositories: readonly RepositoryUsage[]
  readonly disk: Amount
}

export async function usage({ read, objects, names }: Upkeep): Promise<Usage> {
  const held = await read((tables) =>
    tables.selectFrom('stored_totals').selectAll().where('objects', '>', 0).execute(),
  )
  const totals = new Map(held.map((total) => [total.repository_uid, total]))
  const repositories = (await named(names, [...totals.keys()])).map(({ uid, path }) => ({
    repository: path,
    ...amountOf(totals.get(uid)),
  }))
  let disk = nothing
  for await (const { bytes } of objects.list()) disk = plus(disk, { count: 1, bytes })
  return { repositories, disk }
}

export async function usageOf(
  { read, names }: Upkeep,
  repo: RepoRef,
): Promise<RepositoryUsage | Refusal> {
  const found = await findRepository(names, repo)
  if (isRefusal(found)) return found
  const held = await read((tables) =>
    tables
      .selectFrom('stored_totals')
      .selectAll()
      .where('repository_uid', '=', found.uid)
      .executeTakeFirst(),
  )
  return { repository: found.path, ...amountOf(held) }
}

function amountOf(held: { readonly bytes: number; readonly objects: number } | undefined) {
  return { bytes: held?.bytes ?? 0, objects: held?.objects ?? 0 }
}
