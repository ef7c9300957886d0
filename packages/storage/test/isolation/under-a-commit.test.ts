/** What is written under a commit is not opened by a ref that comes to hold the commit later. */

import { Secret } from '@latchkey/protocol'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage.ts'
import { contentOf, everything, lookFor, nothing, put } from './content.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('who may read only one of the branches that hold a commit reads nothing of what was written under it', async () => {
  const repository = await stage.newRepository()
  const secret = commit('5')
  await stage.world.done('ref create', { repository, ref: 'secret', commit: secret })
  await stage.newBranch(repository, 'pub')
  const content = contentOf('under the commit')
  await put(await stage.caller(`write ${repository}@${secret}`), content)
  const made = await stage.world.done('hub-token create', {
    account: 'writer',
    name: 'pub-only',
    kind: 'fine-grained',
    grants: [{ on: repository, contents: 'read', refs: ['pub'] }],
  })
  const { token } = made as { token: string }
  Object.assign(stage.world.tokens, { 'writer/pub-only': new Secret('hub-token', token) })
  await stage.world.done('ref set', { repository, ref: 'pub', commit: secret })
  const limited = await stage.caller(`read ${repository}@${secret}`, 'writer/pub-only')
  expect(await lookFor(limited, content)).toEqual(nothing(content))
  const whole = await stage.caller(`read ${repository}@${secret}`)
  expect(await lookFor(whole, content)).toEqual(everything(content))
})
