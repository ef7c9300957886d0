/** Reconstructions that clients do not read hold their own account's slots, and nobody else's. */

import { isRefusal, refuse } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import type { PlanResult } from '../../src/reconstructions/plan-work.ts'
import {
  answerInSlot,
  reconstructionSlots,
} from '../../src/reconstructions/reconstruction-slots.ts'
import type { StorageCall } from '../../src/request/asked.ts'

const json = new TextEncoder().encode('{}')

/** Asks for answers that are small or large, and notes which are made; none is ever sent to its end. */
function asking() {
  const slots = reconstructionSlots()
  const { signal } = new AbortController()
  const made: string[] = []
  const ask = async (account: string, isLarge: boolean, repositoryUid = 'shared') => {
    const asked = { payer: { account, repositoryUid }, signal } as StorageCall
    const reply = await answerInSlot(slots, asked, async (size): Promise<PlanResult> => {
      if (size === 'small' && isLarge) return { terms: 1000 }
      made.push(account)
      return { json }
    })
    return isRefusal(reply) ? reply : reply.whenSent
  }
  return { made, ask, slots, signal }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
test('an account whose clients do not read leaves large slots of the repository to others', async () => {
  const { made, ask } = asking()
  for (let count = 0; count < 20; count += 1) void ask('slow', true)
  await settled()
  for (const account of ['a', 'b', 'c']) void ask(account, true)
  await settled()
  expect(made).toEqual(['slow', 'slow', 'a', 'b', 'c'])
})

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
test('accounts whose clients do not read leave large slots to accounts that have none', async () => {
  const { made, ask } = asking()
  for (const account of 'abcdefgh') {
    for (let count = 0; count < 3; count += 1) void ask(account, true, `of ${account}`)
    await settled()
  }
  expect(made.join('')).toBe('aabbccddeeffgh')
})

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
test('an answer with few terms takes no large slot, and holds none', async () => {
  const { made, ask } = asking()
  for (let count = 0; count < 20; count += 1) void ask('account', true)
  await settled()
  expect(await ask('account', false)).toBeUndefined()
  expect(made).toHaveLength(3)
})

test('a large answer that fails, or is refused, gives its slot back', async () => {
  const { slots, signal } = asking()
  const asked = { payer: { account: 'account', repositoryUid: 'shared' }, signal } as StorageCall
  const refusal = refuse('resource_not_found', 'gone since')
  for (let count = 0; count < 10; count += 1) {
    const refused = await answerInSlot(slots, asked, async (size) =>
      size === 'small' ? { terms: 1000 } : refusal,
    )
    expect(refused).toBe(refusal)
    const failed = answerInSlot(slots, asked, async (size) => {
      if (size === 'large') throw new Error('as asked')
      return { terms: 1000 }
    })
    await expect(failed).rejects.toThrow('as asked')
  }
})
