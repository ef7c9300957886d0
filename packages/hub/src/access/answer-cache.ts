/** Answers of the store by their question, until the store has changed. */

import { type CacheBound, GrowingCache } from '@latchkey/service/limits/growing-cache'

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
