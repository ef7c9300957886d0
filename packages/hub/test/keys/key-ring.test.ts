/** The keys of a hub: kept once made, opened all or not at all. */

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Secret, unixSeconds } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import type { Algorithm } from '@latchkey/token'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type KeyRing, openKeyRing } from '../../src/keys/key-ring.ts'
import { loadMasterKey, parseMasterKey } from '../../src/keys/master-key.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'

describe('the keys of a hub', () => {
  test('are made once: the next start publishes the same', async () => {
    const place = newPlace()
    const first = await place.open()
    const second = await place.open()
    expect(kids(first)).toHaveLength(1)
    expect(kids(second)).toEqual(kids(first))
  })

  test('of another algorithm go through the same states: the old one signs until the wait is over', async () => {
    const place = newPlace()
    const first = await place.open({ algorithm: 'ES256' })
    const second = await place.open({ algorithm: 'EdDSA' })
    expect(second.signing.kid).toBe(first.signing.kid)
    expect(kids(second)).toEqual(expect.arrayContaining(kids(first)))
    expect(kids(second)).toHaveLength(2)
    const third = await place.open({ algorithm: 'EdDSA', now: 601 })
    expect(third.signing.alg).toBe('EdDSA')
    expect(kids(third)).toEqual(kids(second))
    const fourth = await place.open({ algorithm: 'ES256', now: 700 })
    expect(fourth.signing.alg).toBe('EdDSA')
    expect(kids(fourth)).toHaveLength(3)
  })

  test('sign either storage tokens or heads of revocation lists', async () => {
    const { published, signing, revocations } = await newPlace().open()
    expect(published).toEqual([signing])
    expect(revocations.published).toEqual([revocations.signing])
    expect(revocations.signing.kid).not.toBe(signing.kid)
  })

  test('are refused when two of them have changed places', async () => {
    const place = newPlace()
    await place.open()
    place.sql(`UPDATE signing_keys SET sealed =
      (SELECT other.sealed FROM signing_keys other WHERE other.kid <> signing_keys.kid)`)
    await expect(place.open()).rejects.toThrow(CannotStart)
  })

  test.each(["kid = 'another'", "alg = 'EdDSA'", 'sealed = substr(sealed, 5)', "sealed = ''"])(
    'are refused when a row was altered: %s',
    async (change) => {
      const place = newPlace()
      await place.open()
      place.sql(`UPDATE signing_keys SET ${change} WHERE purpose = 'tokens'`)
      await expect(place.open()).rejects.toThrow(/cannot be decrypted/)
      expect(place.count()).toBe(2)
    },
  )

  test('under a master key of the environment leave no key file', async () => {
    const place = newPlace()
    const masterKey = new Secret('master-key', randomBytes(32).toString('base64'))
    const first = await place.open({ masterKey })
    expect(existsSync(join(place.data, 'master.key'))).toBe(false)
    expect(kids(await place.open({ masterKey }))).toEqual(kids(first))
    await expect(place.open()).rejects.toThrow(/master\.key is missing/)
    expect(place.count()).toBe(2)
  })

  test('under a wrong master key are never replaced by new ones', async () => {
    const place = newPlace()
    await place.open()
    const masterKey = new Secret('master-key', randomBytes(32).toString('base64'))
    await expect(place.open({ masterKey })).rejects.toThrow(/cannot be decrypted/)
    await expect(place.open({ masterKey, algorithm: 'EdDSA' })).rejects.toThrow(CannotStart)
    expect(place.count()).toBe(2)
  })

  test('opened many times at once are one', async () => {
    const place = newPlace()
    const rings = await Promise.all(Array.from({ length: 6 }, () => place.open()))
    expect(new Set(rings.flatMap(kids)).size).toBe(1)
    expect(place.count()).toBe(2)
  })
})

describe('the master key file', () => {
  // conformance: Attacks / 30. An attacker reads a secret in files, environment or arguments
  test('is made for its owner only, and nothing else beside it', () => {
    const data = temporaryFolder()
    const key = loadMasterKey(data, { mayMake: true })
    expect(statSync(join(data, 'master.key')).mode & 0o777).toBe(0o600)
    expect(readdirSync(data)).toEqual(['master.key'])
    expect(loadMasterKey(data, { mayMake: false }).reveal()).toBe(key.reveal())
  })

  test('is never made anew where something was encrypted already', () => {
    const data = temporaryFolder()
    expect(() => loadMasterKey(data, { mayMake: false })).toThrow(CannotStart)
    expect(readdirSync(data)).toEqual([])
  })

  test('holds 32 bytes in base64 and nothing that merely resembles it', () => {
    const text = randomBytes(32).toString('base64')
    expect(parseMasterKey(`${text}\n`)?.reveal()).toBe(text)
    const urlSafe = Buffer.alloc(32, 0xff).toString('base64url')
    const wrong = [text.slice(0, -1), `${text}=`, text.slice(4), ` ${text}x`, urlSafe, '', 'AAAA']
    expect(wrong.map(parseMasterKey)).toEqual(wrong.map(() => undefined))
  })
})

function kids({ published }: KeyRing): string[] {
  return published.map(({ kid }) => kid)
}

interface Opening {
  readonly algorithm?: Algorithm
  readonly now?: number
  readonly masterKey?: Secret<'master-key'>
}

function newPlace() {
  const data = temporaryFolder()
  const file = join(data, 'hub.db')
  const origin = { verb: 'serve' }
  const open = async (opening: Opening = {}): Promise<KeyRing> => {
    const { algorithm = 'ES256', masterKey, now = 1 } = opening
    // As a hub does: these are all of one process, and a writer that waits blocks the others.
    const store = openSqliteStore(file, { busyTimeoutMs: 10 })
    onTestFinished(() => store.close())
    const token = { algorithm, lifetimeSeconds: 900 }
    return openKeyRing({
      store,
      data,
      masterKey,
      token,
      keys: { rotationDays: 90 },
      now: unixSeconds(now),
      origin,
    })
  }
  const sql = (statement: string) => {
    const database = new DatabaseSync(file)
    const rows = database.prepare(statement).all()
    database.close()
    return rows
  }
  return { data, open, sql, count: () => sql('SELECT kid FROM signing_keys').length }
}
