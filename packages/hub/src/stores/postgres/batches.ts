/** Questions that come in the same turn of the event loop go to the database together. */

import type { Stopwatch } from '@latchkey/service/limits/limiter'
import { DatabaseBusy } from '@latchkey/service/postgres'

export interface BatchLimits {
  /** How many batches may be on their way; what comes meanwhile waits for one of them, and goes together. */
  readonly atOnce: number
  readonly mostInOne: number
  /** A question that has waited longer to be sent fails with `DatabaseBusy`. */
  readonly longestWaitMs: number
  readonly stopwatch?: Stopwatch
}

/**
 * Beside another, a batch waits until it is half full, but no longer than this: small ones cost the hub and the database more
 * for each question, and a slow one must not hold up others.
 */
const fillingMs = 10

export function inBatches<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  { atOnce, mostInOne, longestWaitMs, stopwatch = () => performance.now() }: BatchLimits,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = []
  let onTheirWay = 0
  let isDue = false
  let isFilling = false

  const giveUpOld = (): void => {
    const earliest = stopwatch() - longestWaitMs
    const kept = waiting.findIndex(({ since }) => since >= earliest)
    const old = waiting.splice(0, kept === -1 ? waiting.length : kept)
    for (const { reject } of old) reject(new DatabaseBusy(tooMany))
  }
  const isWorthSending = (isOverdue: boolean): boolean =>
    onTheirWay === 0 || isOverdue || waiting.length >= mostInOne / 2
  const send = (isOverdue = false): void => {
    isDue = false
    giveUpOld()
    while (waiting.length > 0 && onTheirWay < atOnce && isWorthSending(isOverdue)) {
      const batch = waiting.slice(0, mostInOne)
      waiting = waiting.slice(mostInOne)
      onTheirWay += 1
      void settle(batch)
    }
    if (waiting.length > 0 && onTheirWay < atOnce) fill()
  }
  const fill = (): void => {
    if (isFilling) return
    isFilling = true
    setTimeout(() => {
      isFilling = false
      send(true)
    }, fillingMs)
  }
  const settle = async (batch: readonly Waiting<Question, Answer>[]): Promise<void> => {
    try {
      const answers = await askAll(batch.map(({ question }) => question))
      sendNext()
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      sendNext()
      for (const { reject } of batch) reject(error)
    }
  }
  /** Before anybody gets an answer: the database works on the next batch while the hub decides by this one. */
  const sendNext = (): void => {
    onTheirWay -= 1
    send()
  }
  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject, since: stopwatch() })
      if (isDue) return
      isDue = true
      // After the requests of this turn, and before anything is waited for: a lone one is not delayed.
      setImmediate(() => send())
    })
}

const tooMany = 'The database has more questions than it can answer.'

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
  readonly since: number
}
