/** Gives repositories addresses that they never had, so that no client relies on what it remembers. */

import { isRefusal, type Refusal, type RepoRef } from '@latchkey/protocol'
import { findRepository } from './find-repository.ts'
import { raiseAbove } from './raise-epoch.ts'
import type { Upkeep } from './upkeep.ts'

/** One repository or all of them; gives how many. */
export function readdress(upkeep: Upkeep, repo?: RepoRef): Promise<number | Refusal> {
  return repo === undefined
    ? upkeep.change((own) => raiseAbove(own, undefined))
    : readdressOne(upkeep, repo)
}

async function readdressOne({ read, change }: Upkeep, repo: RepoRef): Promise<number | Refusal> {
  const found = await read((tables) => findRepository(tables, repo))
  return isRefusal(found) ? found : change((own) => raiseAbove(own, found.uid))
}
