/** The routes that a storage follows its hub by. */

import {
  changesQuestion,
  epochsQuestion,
  linkPrefix,
  placesQuestion,
  readInput,
} from '@latchkey/admin-api'
import { asRepositoryUid, isRefusal, type UnixSeconds } from '@latchkey/protocol'
import type { Route } from '@latchkey/service/http/serve-routes'
import { queryOf } from '../admin/read-request.ts'
import { longPoll } from '../journal/long-poll.ts'
import { unlessFull } from '../run-verb/unless-full.ts'
import { raiseEpochsIn } from '../verbs/epochs.ts'
import { findKnown } from './find-known.ts'
import type { StorageCaller } from './identify-storage.ts'
import { hubTokenIdOf, linkOrigin } from './link-origin.ts'
import type { LinkPorts } from './ports.ts'
import { readBody } from './read-body.ts'
import { readChanges } from './read-changes.ts'
import { type AnswerLink, serveLink } from './serve-link.ts'

/** `POST /link/v1/places`: which uids of a storage belong to nothing in the directory. */
const answerPlaces: AnswerLink = async ({ call, identifyAgain }, { readBeside }) => {
  const question = await readBody(call.request, placesQuestion)
  if (isRefusal(question)) return question
  const caller = await identifyAgain()
  if (isRefusal(caller)) return caller
  const known = await readBeside((tables) => findKnown(tables, question.uids))
  return { unknown: [...new Set(question.uids).difference(known)] }
}

/** `POST /link/v1/epochs`: repositories that lost content get new addresses, so that no client relies on it. */
const answerEpochs: AnswerLink = async ({ call, caller, identifyAgain }, ports) => {
  const question = await readBody(call.request, epochsQuestion)
  if (isRefusal(question)) return question
  const uids = question.repositories.map((uid) => asRepositoryUid(uid))
  const refused = ports.refuseEpochs(hubTokenIdOf(caller), uids.length)
  if (refused !== undefined) return refused
  return unlessFull(() =>
    ports.directory.change(async (transaction) => {
      const still = await identifyAgain()
      if (isRefusal(still)) return still
      const origin = linkOrigin({ caller: still, user: ports.user, requestId: call.requestId })
      return { raised: await raiseEpochsIn(transaction, origin, uids) }
    }),
  )
}

/** `GET /link/v1/changes`: what was removed after an entry of the journal, at once or when there is one. */
const answerChanges: AnswerLink = async ({ call, caller, identifyAgain }, ports) => {
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

export function linkRoutes(ports: LinkPorts): readonly Route[] {
  const serve = serveLink(ports)
  // biome-ignore format: a table is read by its columns
  return [
    { method: 'GET',  path: `${linkPrefix}/changes`, handle: serve('changes', answerChanges) },
    { method: 'POST', path: `${linkPrefix}/epochs`,  handle: serve('epochs',  answerEpochs) },
    { method: 'POST', path: `${linkPrefix}/places`,  handle: serve('places',  answerPlaces) },
  ]
}
