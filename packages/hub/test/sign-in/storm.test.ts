/** Many sign-ins beside token requests: none of those fails, and none is decided again. */

import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { startWorld } from '@latchkey/testing/hub/world'
import { expect, onTestFinished, test } from 'vitest'
import { signInDevice } from '../oauth/sign-in-device.ts'
import { signIn } from './browser.ts'

const people = ['writer/write', 'stranger/write', 'guest/write']
const asked = ['read models/acme/bert@main', 'write models/acme/bert@dev']

/** The hot path looks a repository up by its first statement, and a hub token by its second. */
const lookUps = /^(?:WITH|SELECT) .*\b(?:FROM repositories|t\.secret_hash = \?)/

test('sixty sign-ins leave every token request answered from memory', async () => {
  const world = await startWorld(acme)
  onTestFinished(() => world.close())
  const statuses: number[] = []
  const askAll = async () => {
    for (const what of asked) statuses.push((await ask(world, what, { as: 'writer/write' })).status)
  }
  const warm = await statementsDuring(askAll)
  expect(warm.filter((sql) => lookUps.test(sql))).not.toEqual([])
  for (const as of people) await signIn(world, as)
  await askAll()
  await askAll()
  const beside: string[] = []
  for (let round = 0; round < 10; round += 1) {
    for (const as of people) {
      await signIn(world, as)
      await signInDevice(world, { as })
      beside.push(...(await statementsDuring(askAll)))
    }
  }
  expect(beside).toEqual([])
  expect(new Set(statuses)).toEqual(new Set([200]))
  await world.done('member set', { namespace: 'acme', account: 'writer', role: 'read' })
  const after = await statementsDuring(askAll)
  expect(after.filter((sql) => lookUps.test(sql))).not.toEqual([])
  expect(statuses.slice(-2)).toEqual([200, 403])
})
