/** Gives repositories addresses that they never had, so that no client relies on what it remembers. */

import { isRefusal, type Refusal, type RepoRef, type RepositoryUid } from '@latchkey/protocol'
import { inBatches } from '../catalog/batches.ts'
import { repositoriesWithXorbs } from './old-xorbs.ts'
import { findRepository } from './repository-names.ts'
import type { Upkeep } from './upkeep.ts'

const mostAtOnce = 1000

/** One repository, or all that hold something; gives how many. */
export async function readdress(upkeep: Upkeep, repo?: RepoRef): Promise<number | Refusal> {
  if (repo === undefined) return raise(upkeep, await upkeep.read(repositoriesWithXorbs))
  const found = await findRepository(upkeep.names, repo)
  return isRefusal(found) ? found : raise(upkeep, [found.uid])
}

async function raise({ link }: Upkeep, repositories: readonly RepositoryUid[]): Promise<number> {
  for (const some of inBatches(repositories, mostAtOnce)) await link.raiseEpochs(some)
  return repositories.length
}
