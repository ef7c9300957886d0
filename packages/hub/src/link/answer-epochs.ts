/** `POST /link/v1/epochs`: repositories that lost content get new addresses, so that no client relies on it. */

import { epochsQuestion } from '@latchkey/admin-api'
import { asRepositoryUid, isRefusal } from '@latchkey/protocol'
import { unlessFull } from '../run-verb/unless-full.ts'
import { raiseEpochsIn } from '../verbs/epochs.ts'
import { hubTokenIdOf, linkOrigin } from './link-origin.ts'
import { readBody } from './read-body.ts'
import type { AnswerLink } from './serve-link.ts'

export const answerEpochs: AnswerLink = async ({ call, caller, identifyAgain }, ports) => {
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
