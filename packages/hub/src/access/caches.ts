/** Answers of the store by their question, until the store has changed, and how many of them are kept. */

import { type CacheBound, GrowingCache } from '@latchkey/service/limits/cache'
import type { CallerRecord } from '../identity/caller.ts'
import type { RepositoryFacts } from '../permission/access-facts.ts'

const maxCallers = 10_000

/** Thousands of branches can hold a commit, so an answer counts with its holders, past ones included. */
const maxHolders = 250_000
/** As many holders as it takes the memory of: so there are 50 000 answers at most. */
const answerItself = 5

export type Caches = ReturnType<typeof emptyCaches>

/** `false` stands for an absent repository: it must cost as much as a hidden repository, which is cached too. */
export function emptyCaches() {
  return {
    callers: answerCache<CallerRecord>({ most: maxCallers }),
    /** Hashes of hub tokens that nobody has; a sign-in may make one of them. */
    strangers: answerCache<true>({ most: maxCallers }),
    repositories: answerCache<RepositoryFacts | false>({
      most: maxHolders,
      sizeOf: (facts) => answerItself + (facts === false ? 0 : holdersIn(facts)),
    }),
    prefixes: answerCache<ReadonlySet<string>>({ most: 1 }),
  }
}

function holdersIn({ ref }: RepositoryFacts): number {
  return ref === undefined ? 0 : ref.holders.length + ref.pastHolders.length
}

type Defined = NonNullable<unknown>

export interface AnswerCache<Answer extends Defined> {
  get(key: string): Answer | undefined
  /** To be called before a question is asked. Its answer is kept unless the cache is emptied before it comes. */
  asking(): (key: string, answer: Answer) => void
  empty(): void
}

export function answerCache<Answer extends Defined>(
  bound: CacheBound<Answer>,
): AnswerCache<Answer> {
  const answers = new GrowingCache<string, Answer>(bound)
  let emptied = 0
  return {
    get: (key) => answers.get(key),
    asking() {
      const before = emptied
      return (key, answer) => {
        // An answer from before the change must not stay as one from after it.
        if (before === emptied) answers.set(key, answer)
      }
    },
    empty() {
      emptied += 1
      answers.clear()
    },
  }
}
