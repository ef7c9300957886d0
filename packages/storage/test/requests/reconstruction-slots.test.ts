/** Reconstructions that clients do not read hold their own account's slots, and nobody else's. */

import { isRefusal } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { expect, test } from 'vitest'
import { Terms } from '../../src/catalog/terms.ts'
import type { Asked } from '../../src/requests/asked.ts'
import type { Reconstructing } from '../../src/requests/reconstruct.ts'
import { reconstructListed } from '../../src/requests/reconstruct-batch.ts'
import { makeInSlot, reconstructionSlots } from '../../src/requests/reconstruction-slots.ts'

/** Asks for answers with so many terms, and notes which are made; none is ever sent to its end. */
function asking() {
  const slots = reconstructionSlots()
  const { signal } = new AbortController()
  const made: string[] = []
  const ask = async (account: string, terms: number) => {
    const asked = { payer: { account, repositoryUid: 'shared' }, signal } as Asked
    const find = async () => ({ terms })
    const make = async () => ({ madeNow: made.push(account) })
    const held = await makeInSlot(slots, asked, { find, make })
    return isRefusal(held) ? held : held.release
  }
  return { made, ask }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('an account whose clients do not read leaves large slots of the repository to others', async () => {
  const { made, ask } = asking()
  for (let count = 0; count < 20; count += 1) void ask('slow', 1000)
  await settled()
  for (const account of ['a', 'b', 'c']) void ask(account, 1000)
  await settled()
  expect(made).toEqual(['slow', 'slow', 'a', 'b', 'c'])
})

test('an answer with few terms takes no large slot, and holds none', async () => {
  const { made, ask } = asking()
  for (let count = 0; count < 20; count += 1) void ask('account', 1000)
  await settled()
  expect(await ask('account', 256)).toBeUndefined()
  expect(made).toHaveLength(3)
})

test('a list of files with few terms takes no large slot', async () => {
  const hash = 'ab'.repeat(32)
  const large = () => Promise.reject(new Error('a large slot was taken'))
  const file = { hash, bytes: 0, terms: Terms.of([]), refUid: 'ref' }
  const catalog = { findFile: async () => file, xorbsOf: async () => new Map() }
  const handle = reconstructListed({
    slots: { ...reconstructionSlots(), large },
    catalog,
  } as unknown as Reconstructing)
  const asked = {
    payer: { account: 'account', repositoryUid: 'shared' },
    query: new URLSearchParams({ file_id: hash }),
    signal: new AbortController().signal,
  } as Asked
  expect(await handle(asked, hash as Hash)).toMatchObject({ status: 200, whenSent: undefined })
})
