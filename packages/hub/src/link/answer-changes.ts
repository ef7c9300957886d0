/** `GET /link/v1/changes`: what was removed after an entry of the journal, at once or when there is one. */

import { changesQuestion, readInput } from '@latchkey/admin-api'
import { isRefusal, type UnixSeconds } from '@latchkey/protocol'
import { queryOf } from '../admin/read-request.ts'
import { longPoll } from '../journal/long-poll.ts'
import type { StorageCaller } from './identify-storage.ts'
import { hubTokenIdOf } from './link-origin.ts'
import { readChanges } from './read-changes.ts'
import type { AnswerLink } from './serve-link.ts'

export const answerChanges: AnswerLink = async ({ call, caller, identifyAgain }, ports) => {
  const question = readInput(changesQuestion, queryOf(call.request.url ?? ''))
  if (isRefusal(question)) return question
  const { after, known, wait } = question
  const { requestId } = call
  // First, so that the storage hears of the answer to a rollback at once.
  if (known !== undefined) await ports.onKnownNumber({ number: known, caller, requestId })
  // Another connection than changes have: a large change must not keep uploads waiting.
  const read = async () => {
    const answer = await ports.readBeside((tables) => readChanges(tables, after))
    // Before the storage hears of it: where this fails, the storage asks again with the same number.
    if (isRefusal(answer) && after !== undefined) {
      await ports.onKnownNumber({ number: after, caller, requestId })
    }
    return answer
  }
  const waitSeconds = atMostUntilEnd(wait, caller, ports.clock())
  if (after === undefined || waitSeconds === 0) return read()
  const ask = async () => {
    const still = await identifyAgain()
    return isRefusal(still) ? still : read()
  }
  return longPoll(ask, {
    watch: ports.watch,
    hubTokenId: hubTokenIdOf(caller),
    waitSeconds,
    signal: call.signal,
    endsWithoutNews: (answer) =>
      !isRefusal(answer) && answer.number === after ? after : undefined,
  })
}

/** A hub token that ends in the middle of a long poll is refused then, not when the wait is over. */
function atMostUntilEnd(waitSeconds: number, caller: StorageCaller, now: UnixSeconds): number {
  const expiresAt = caller === 'embedded' ? undefined : caller.expiresAt
  return expiresAt === undefined ? waitSeconds : Math.min(waitSeconds, expiresAt - now)
}
