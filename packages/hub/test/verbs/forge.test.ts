/** The one forge of a directory and the outcomes of its changes, on both databases. */

import { expect, test } from 'vitest'
import { askedBy, askForge, bert, startForgeLinked } from '../link/ask-link.ts'

const own = 'f'.repeat(26)
const other = 'g'.repeat(26)

test('the hub keeps what became of a change, refuses one that was given up, and the forge that was replaced', async () => {
  const world = await startForgeLinked()
  const caller = { ...askedBy, authorization: [`Bearer ${world.tokens['ada/write']?.reveal()}`] }
  const move = (operation: string, from: string, to: string) => {
    const input = { repo: bert, ref: 'refs/heads/main', from: from.repeat(40), to: to.repeat(40) }
    return askForge(world, 'moveRef', { body: { caller, operation, input } })
  }
  const outcomeOf = (operation: string) =>
    askForge(world, 'outcomeOf', { body: { input: { operation } } })
  const [done, givenUp] = ['d'.repeat(26), 'e'.repeat(26)]
  expect((await move(done, 'a', '2')).json).not.toHaveProperty('refusal')
  expect((await outcomeOf(done)).json).toEqual({ result: { isDone: true } })
  expect((await outcomeOf(givenUp)).json).toEqual({ result: { isDone: false } })
  for (const operation of [done, givenUp]) {
    expect((await move(operation, '2', '3')).json).toMatchObject({ refusal: { code: 'conflict' } })
  }
  expect(await world.done('forge adopt', { forge: other })).toEqual({ forge: other, before: own })
  // The hub has not looked again, but the transaction of the change has.
  expect((await move('c'.repeat(26), '2', '3')).json).toMatchObject({
    refusal: { code: 'conflict' },
  })
  world.passSeconds(1)
  expect((await outcomeOf(done)).status).toBe(409)
  const shown = await world.done('ref show', { repository: bert, ref: 'main' })
  expect(shown).toMatchObject({ commit: '2'.repeat(40) })
})
