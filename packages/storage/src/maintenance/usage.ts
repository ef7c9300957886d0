/** How much the storage holds: by repository as if nothing were shared, and in the store as it is. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { Amount } from './amount.ts'
import { amountOnRecord } from './free-objects.ts'
import type { Maintenance } from './maintenance.ts'
import {
  type FoundRepository,
  findStored,
  named,
  type WantedRepository,
} from './repository-names.ts'

export interface RepositoryUsage {
  readonly repository: string
  /** The hub does not have it. */
  readonly isUnknown?: true
  readonly bytes: number
  readonly objects: number
}

export interface Usage {
  /** Repositories with content, in order of their names. */
  readonly repositories: readonly RepositoryUsage[]
  /** Objects with their chunk tables, those that are about to be deleted included. */
  readonly disk: Amount
}

export async function usage(maintenance: Maintenance): Promise<Usage> {
  const { read } = maintenance
  const held = await read((tables) =>
    tables.selectFrom('stored_totals').selectAll().where('objects', '>', 0).execute(),
  )
  const totals = new Map(held.map((total) => [total.repository_uid, total]))
  const repositories = (await named(maintenance, [...totals.keys()])).map((found) =>
    usageIn(found, totals.get(found.uid)),
  )
  return { repositories, disk: await read(amountOnRecord) }
}

export async function usageOf(
  maintenance: Maintenance,
  repository: WantedRepository,
): Promise<RepositoryUsage | Refusal> {
  const found = await findStored(maintenance, repository)
  if (isRefusal(found)) return found
  const held = await maintenance.read((tables) =>
    tables
      .selectFrom('stored_totals')
      .selectAll()
      .where('repository_uid', '=', found.uid)
      .executeTakeFirst(),
  )
  return usageIn(found, held)
}

function usageIn(
  { path, isUnknown }: FoundRepository,
  held: { readonly bytes: number; readonly objects: number } | undefined,
): RepositoryUsage {
  const amount = { bytes: held?.bytes ?? 0, objects: held?.objects ?? 0 }
  return { repository: path, ...(isUnknown && { isUnknown }), ...amount }
}
