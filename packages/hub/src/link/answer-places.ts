/** `POST /link/v1/places`: which uids of a storage belong to nothing in the directory. */

import { placesQuestion } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { findKnown } from './find-known.ts'
import { readBody } from './read-body.ts'
import type { AnswerLink } from './serve-link.ts'

export const answerPlaces: AnswerLink = async ({ call, identifyAgain }, { readBeside }) => {
  const question = await readBody(call.request, placesQuestion)
  if (isRefusal(question)) return question
  const caller = await identifyAgain()
  if (isRefusal(caller)) return caller
  const known = await readBeside((tables) => findKnown(tables, question.uids))
  return { unknown: [...new Set(question.uids).difference(known)] }
}
