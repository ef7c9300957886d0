/** `POST /link/v1/places`: which uids of a storage belong to nothing in the directory. */

import { placesQuestion } from '@latchkey/admin-api'
import { asRefUid, asRepositoryUid, isRefusal } from '@latchkey/protocol'
import { chunked } from '../directory/port/columns.ts'
import type { Reading } from '../directory/port/directory.ts'
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

async function findKnown(tables: Reading, uids: readonly string[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  for (const some of chunked(uids)) {
    const repositories = some.map((uid) => asRepositoryUid(uid))
    const refs = some.map((uid) => asRefUid(uid))
    const found = [
      await tables
        .selectFrom('repositories')
        .select('uid')
        .where('uid', 'in', repositories)
        .execute(),
      await tables.selectFrom('refs').select('uid').where('uid', 'in', refs).execute(),
      await tables.selectFrom('commits').select('uid').where('uid', 'in', refs).execute(),
    ]
    for (const { uid } of found.flat()) known.add(uid)
  }
  return known
}
