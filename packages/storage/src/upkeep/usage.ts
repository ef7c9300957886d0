/** How much the storage holds: by repository as if nothing were shared, and on the disk as it is. */

import { isRefusal, type Refusal, type RepoRef } from '@latchkey/protocol'
import { type Amount, nothing, plus } from './amount.ts'
import { findRepository } from './find-repository.ts'
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

export async function usage({ read, objects }: Upkeep): Promise<Usage> {
  const repositories = await read((tables) =>
    tables
      .selectFrom('stored_totals as held')
      .innerJoin('repositories as r', 'r.uid', 'held.repository_uid')
      .select(['r.path as repository', 'held.bytes', 'held.objects'])
      .where('held.objects', '>', 0)
      .orderBy('r.path')
      .execute(),
  )
  let disk = nothing
  for await (const { bytes } of objects.list()) disk = plus(disk, { count: 1, bytes })
  return { repositories, disk }
}

export async function usageOf({ read }: Upkeep, repo: RepoRef): Promise<RepositoryUsage | Refusal> {
  return read(async (tables) => {
    const found = await findRepository(tables, repo)
    if (isRefusal(found)) return found
    const held = await tables
      .selectFrom('stored_totals')
      .select(['bytes', 'objects'])
      .where('repository_uid', '=', found.uid)
      .executeTakeFirst()
    return { repository: found.path, ...(held ?? { bytes: 0, objects: 0 }) }
  })
}
