/** How many answers the access room keeps. */

import type { CallerRecord } from '../identity/caller.ts'
import type { RepositoryFacts } from '../permission/access-facts.ts'
import { answerCache } from './answer-cache.ts'

const mostCallers = 10_000

/** Thousands of branches can hold a commit, so an answer counts with its holders, past ones included. */
const mostHolders = 250_000
/** As many holders as it takes the memory of: so there are 50 000 answers at most. */
const answerItself = 5

export type Caches = ReturnType<typeof emptyCaches>

/** `false` stands for an absent one: it must cost as much as a hidden repository, which is cached too. */
export function emptyCaches() {
  return {
    callers: answerCache<CallerRecord | false>({ most: mostCallers }),
    repositories: answerCache<RepositoryFacts | false>({
      most: mostHolders,
      sizeOf: (facts) => answerItself + (facts === false ? 0 : holdersIn(facts)),
    }),
    prefixes: answerCache<ReadonlySet<string>>({ most: 1 }),
  }
}

function holdersIn({ ref }: RepositoryFacts): number {
  return ref === undefined ? 0 : ref.holders.length + ref.pastHolders.length
}
