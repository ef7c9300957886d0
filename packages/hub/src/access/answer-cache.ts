/** Answers of the store by their question, until the store has changed. */

import { LRUCache } from 'lru-cache'

type Defined = NonNullable<unknown>

export interface AnswerCache<Answer extends Defined> {
  get(key: string): Answer | undefined
  /** Takes a question that has just been asked. The answer is kept unless the cache is emptied before it comes. */
  keep<Found>(key: string, asked: Promise<Found>, read: (found: Found) => Answer): Promise<Answer>
  empty(): void
}

export function answerCache<Answer extends Defined>(
  size: LRUCache.Options<string, Answer, unknown>,
): AnswerCache<Answer> {
  const answers = new LRUCache<string, Answer>(size)
  let emptied = 0
  return {
    get: (key) => answers.get(key),
    async keep(key, asked, read) {
      const before = emptied
      const answer = read(await asked)
      // An answer from before the change must not stay as one from after it.
      if (before === emptied) answers.set(key, answer)
      return answer
    },
    empty() {
      emptied += 1
      answers.clear()
    },
  }
}
