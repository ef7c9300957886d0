/** A running hub has the keys as the table has them, whoever changed them. */

import { type JournalNumber, Secret } from '@latchkey/protocol'
import { generateSigningKey, type SigningKey } from '@latchkey/token/signing'
import { describe, expect, test } from 'vitest'
import { liveRing } from '../../src/keys/live-ring.ts'
import { sealKey, unsealKey } from '../../src/keys/seal.ts'
import type { StoredKey } from '../../src/keys/stored-keys.ts'
import { key, type Made } from './key-rows.ts'

const masterKey = new Secret('master-key', Buffer.alloc(32, 1).toString('base64'))
const otherMasterKey = new Secret('master-key', Buffer.alloc(32, 2).toString('base64'))

async function row(made: Made, sealedWith = masterKey): Promise<StoredKey> {
  const generated = await generateSigningKey('ES256')
  return { ...key({ ...made, kid: generated.kid }), sealed: sealKey(generated, sealedWith) }
}

const learned = { steadyMs: 0, wallMs: 0 }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A table of keys, and what the ring has done with it. */
function tableWith(...first: readonly StoredKey[]) {
  const table = { rows: first, number: 1, reads: 0, failure: undefined as Error | undefined }
  const opened: string[] = []
  const unopened: string[] = []
  const ring = liveRing({
    store: {
      version: () => ({ number: table.number as JournalNumber, mark: table.number, learned }),
    },
    readKeys: async () => {
      table.reads += 1
      if (table.failure !== undefined) throw table.failure
      return table.rows
    },
    open: (stored) => {
      opened.push(stored.kid)
      return unsealKey(stored, masterKey)
    },
    onUnopened: ({ kid }) => unopened.push(kid),
  })
  const change = async (...rows: readonly StoredKey[]) => {
    table.rows = rows
    table.number += 1
    await nextTurn()
  }
  return { table, ring, opened, unopened, change }
}

const signing: Made = { state: 'signing', since: 1000 }
const published: Made = { state: 'published', since: 2000 }

function kids(keys: readonly SigningKey[]): readonly string[] {
  return keys.map(({ kid }) => kid)
}

describe('a ring', () => {
  test('waits for nothing while the directory stays as it is', async () => {
    const { ring, table } = tableWith(await row(signing))
    await ring.follow()
    await nextTurn()
    expect(ring.follow()).toBeUndefined()
    expect(table.reads).toBe(1)
  })

  test('has what was committed before it was asked to follow, for every caller that asks then', async () => {
    const old = await row(signing)
    const { ring, change } = tableWith(old)
    await ring.follow()
    const next = await row({ ...signing, since: 3000 })
    await change({ ...old, retired_at: 3000 }, next)
    const seen = await Promise.all(
      [1, 2, 3].map(async () => {
        await ring.follow()
        return ring.signing.kid
      }),
    )
    expect(seen).toEqual([next.kid, next.kid, next.kid])
    expect(kids(ring.published)).toEqual([old.kid, next.kid])
    await change(next)
    await ring.follow()
    expect(kids(ring.published)).toEqual([next.kid])
  })

  test('opens each key once, also when its row is sealed anew', async () => {
    const one = await row(signing)
    const { ring, opened, change } = tableWith(one)
    await ring.follow()
    await change({ ...one, sealed: 'sealed with another master key' }, await row(published))
    await ring.follow()
    await change({ ...one, max_lifetime: 1 }, await row(published))
    await ring.follow()
    expect(opened.filter((kid) => kid === one.kid)).toHaveLength(1)
    expect(ring.signing.kid).toBe(one.kid)
  })

  test('keeps the purposes apart', async () => {
    const rows = [await row(signing), await row({ ...signing, purpose: 'revocations' })]
    const { ring } = tableWith(...rows)
    await ring.follow()
    expect([kids(ring.published), ring.signing.kid]).toEqual([[rows[0]?.kid], rows[0]?.kid])
    expect([kids(ring.revocations.published), ring.revocations.signing.kid]).toEqual([
      [rows[1]?.kid],
      rows[1]?.kid,
    ])
  })

  test('tells once of a key that it cannot open, and goes on with one that is still published', async () => {
    const old = await row(signing)
    const { ring, unopened, change } = tableWith(old)
    await ring.follow()
    const strange = await row({ ...signing, since: 3000 }, otherMasterKey)
    await change({ ...old, retired_at: 3000 }, strange)
    await ring.follow()
    await change({ ...old, retired_at: 3000 }, strange, await row(published))
    await ring.follow()
    expect(unopened).toEqual([strange.kid])
    expect(ring.signing.kid).toBe(old.kid)
    expect(kids(ring.published)).not.toContain(strange.kid)
  })

  test('never signs with a removed key', async () => {
    const old = await row(signing)
    const { ring, change } = tableWith(old)
    await ring.follow()
    await change(await row(signing, otherMasterKey))
    await ring.follow()
    expect(() => ring.signing).toThrow('no key that may sign tokens')
    expect(() => ring.revocations.signing).toThrow('no key that may sign revocations')
  })

  test('is not taken for current when the table could not be read', async () => {
    const one = await row(signing)
    const { ring, table, change } = tableWith(one)
    await ring.follow()
    const two = await row(signing)
    table.failure = new Error('disk I/O error')
    await change(two)
    await expect(ring.follow()).rejects.toThrow('disk I/O error')
    await expect(ring.follow()).rejects.toThrow('disk I/O error')
    table.failure = undefined
    await ring.follow()
    expect(ring.signing.kid).toBe(two.kid)
  })
})
