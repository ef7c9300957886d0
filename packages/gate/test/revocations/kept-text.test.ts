/** Entries in a text that several processes share. */

import { unixSeconds } from '@latchkey/protocol'
import { cutOffHash, cutOffLifeSeconds, forEver } from '@latchkey/token'
import { expect, test } from 'vitest'
import { entryKeeper, type SharedText } from '../../src/revocations/entry-keeper.ts'

const start = 1_800_000_000

function sharedBucket(text?: string) {
  let stored = text === undefined ? undefined : { text, version: '1' }
  let now = start
  let writes = 0
  const shared: SharedText = {
    async read() {
      return stored
    },
    async write(text, version) {
      if (version !== (stored?.version ?? 'new')) return false
      writes += 1
      stored = { text, version: String(writes) }
      return true
    },
  }
  return {
    keeper: entryKeeper(shared, () => unixSeconds(now)),
    text: () => stored?.text,
    writes: () => writes,
    pass(seconds: number) {
      now += seconds
    },
  }
}

/** An account that was cut off so many seconds after the start. */
function entry(id: string, seconds: number, kid = 'head-key') {
  return [cutOffHash({ kind: 'account', id }), { number: (start + seconds) * 1000, kid }] as const
}

test('two processes that write at once lose no entry, and both get all', async () => {
  const { keeper, writes } = sharedBucket()
  const all = await Promise.all([
    keeper.keep(new Map([entry('ada', 0)])),
    keeper.keep(new Map([entry('bob', 0, 'other-key')])),
  ])
  expect(writes()).toBe(2)
  const both = new Map([entry('ada', 0), entry('bob', 0, 'other-key')])
  expect(await keeper.keep(new Map())).toEqual(both)
  expect(all.map(({ size }) => size).toSorted()).toEqual([1, 2])
})

test('what is kept already is not written again', async () => {
  const { keeper, writes, text } = sharedBucket()
  await keeper.keep(new Map())
  expect(text()).toBeUndefined()
  await keeper.keep(new Map([entry('ada', 5)]))
  await keeper.keep(new Map([entry('ada', 5)]))
  expect((await keeper.keep(new Map([entry('ada', 1)]))).values().next().value?.number).toBe(
    (start + 5) * 1000,
  )
  expect(writes()).toBe(1)
})

test('an entry goes when no token is alive that it could end; that of a key stays', async () => {
  const { keeper, pass } = sharedBucket()
  const key = [cutOffHash({ kind: 'key', id: 'leaked' }), { number: forEver, kid: 'k' }] as const
  await keeper.keep(new Map([entry('ada', 0), key]))
  pass(cutOffLifeSeconds - 1)
  expect((await keeper.keep(new Map())).size).toBe(2)
  pass(1)
  expect([...(await keeper.keep(new Map())).keys()]).toEqual([key[0]])
})

test.each(['', '[]', '{"lists":{"k":"AAAA"}}', '{"lists":null}', 'not json'])(
  'a text that is damaged (%j) is told, and not overwritten',
  async (damaged) => {
    const { keeper, text } = sharedBucket(damaged)
    await expect(keeper.keep(new Map([entry('ada', 0)]))).rejects.toThrow(/is damaged/)
    expect(text()).toBe(damaged)
  },
)
