/** Repositories that were deleted, became private or got other ref rules; refs that were deleted. */

import { refRule } from '@latchkey/admin-api'
import { z } from 'zod'
import { withNewEpoch } from '../directory/nouns/epochs.ts'
import { hadNoMore, isSame, notThere, type Repeat, repeated } from './told.ts'

/** In place of rules that the entry does not have: writing any ref needs the largest role. */
const strictest = JSON.stringify([{ pattern: 'refs/**', write: 'admin' }])

const rules = z.array(refRule)

export const repeatRepository: Repeat = async ({ tables, put }, told) => {
  const before = await tables
    .selectFrom('repositories')
    .selectAll()
    .where('uid', '=', told.repository_uid)
    .executeTakeFirst()
  if (before === undefined) return notThere
  if (told.did === 'deleted') {
    await put([{ thing: 'repository', before }])
    return repeated
  }
  const { visibility, refRules } = told.after
  const read = rules.safeParse(refRules)
  const ruled = read.success ? JSON.stringify(read.data) : strictest
  const after = {
    ...before,
    visibility: visibility === 'private' ? 'private' : before.visibility,
    ref_rules: refRules === undefined ? before.ref_rules : ruled,
  }
  if (isSame(before, after)) return hadNoMore
  await put([{ thing: 'repository', before, after }])
  if (refRules === undefined || read.success) return repeated
  return {
    outcome: 'made safe',
    detail: 'The journal keeps no list of this length: writing any ref needs the role admin now.',
  }
}

export const repeatRef: Repeat = async ({ tables, put, number }, { ref_uid, repository_uid }) => {
  const before = await tables
    .selectFrom('refs')
    .selectAll()
    .where('uid', '=', ref_uid)
    .executeTakeFirst()
  const repository = await tables
    .selectFrom('repositories')
    .selectAll()
    .where('uid', '=', repository_uid)
    .executeTakeFirst()
  if (before === undefined || repository === undefined) return notThere
  await put(withNewEpoch([{ thing: 'ref', before, repository }], repository, number))
  return repeated
}
