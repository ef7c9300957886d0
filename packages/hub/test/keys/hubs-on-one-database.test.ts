/** Several hubs on one database: one of them takes a step, all of them follow. */

import { join } from 'node:path'
import { isRefusal, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { dump } from '@latchkey/testing/hub/dump'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, onTestFinished, test } from 'vitest'
import { type KeyRing, openKeyRing } from '../../src/keys/key-ring.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'

const day = 86_400
const start = 1_800_000_000
const hubs = 4

interface Place {
  readonly rings: readonly KeyRing[]
  readonly file: string
  keys(): readonly Readonly<Record<string, unknown>>[]
}

async function place(lifetimes: readonly number[] = Array(hubs).fill(900)): Promise<Place> {
  const data = temporaryFolder()
  const file = join(data, 'hub.db')
  const open = (lifetimeSeconds: number) => {
    const store = openSqliteStore(file, { busyTimeoutMs: 10, nowMs: () => start * 1000 })
    onTestFinished(() => store.close())
    return openKeyRing({
      store,
      data,
      masterKey: undefined,
      token: { algorithm: 'ES256', lifetimeSeconds },
      keys: { rotationDays: 90 },
      now: unixSeconds(start),
      origin: { verb: 'serve' },
    })
  }
  const rings = await Promise.all(lifetimes.map(open))
  const keys = () => (dump(file)['signing_keys'] ?? []).filter((row) => row['purpose'] === 'tokens')
  return { rings, file, keys }
}

/** All at once, each by a clock of its own. */
async function rotateAll({ rings }: Place, now: number): Promise<number> {
  const skewed = rings.map((ring, index) => ring.rotate(at(now + index)))
  const taken = await Promise.all(skewed)
  return taken.flatMap((steps) => (isRefusal(steps) ? [] : steps)).length
}

function at(seconds: number): UnixSeconds {
  return unixSeconds(seconds)
}

// conformance: Keys / Key rotation rejects no valid token
test('of hubs that look at the same time, one takes each step', async () => {
  const here = await place()
  const { rings, keys } = here
  const [first] = rings.map((ring) => ring.signing.kid)
  expect(keys()).toMatchObject([{ kid: first }])

  // A step for each purpose: publish, hand over, remove.
  expect(await rotateAll(here, start + 45 * day)).toBe(2)
  expect(keys()).toHaveLength(2)
  expect(await rotateAll(here, start + 45 * day + 60)).toBe(0)
  expect(await rotateAll(here, start + 75 * day)).toBe(2)
  await Promise.all(rings.map((ring) => ring.follow()))
  const signing = new Set(rings.map((ring) => ring.signing.kid))
  expect(signing.size).toBe(1)
  expect(signing).not.toContain(first)
  expect(await rotateAll(here, start + 76 * day)).toBe(2)
  expect(keys()).toMatchObject([{ kid: [...signing][0] }])
})

test('every step of a hub is in the journal, and a removal narrows', async () => {
  const here = await place()
  for (const days of [45, 75, 76]) await rotateAll(here, start + days * day)
  const told = (dump(here.file)['journal'] ?? []).filter(({ thing }) => thing === 'key')
  const counts = Map.groupBy(told, ({ did, narrows }) => `${did} ${narrows}`)
  expect(Object.fromEntries([...counts].map(([what, some]) => [what, some.length]))).toEqual({
    'created 0': 4,
    'changed 0': 4,
    'deleted 1': 2,
  })
  expect(new Set(told.map(({ verb }) => verb))).toEqual(new Set(['serve']))
})

test('the longest lifetime of all hubs counts, whichever of them makes the next key', async () => {
  const here = await place([900, 86_400, 120])
  expect(here.keys()).toMatchObject([{ max_lifetime: 86_400 }])
  await here.rings[2]?.rotate(at(start + 45 * day))
  expect(here.keys().map((row) => row['max_lifetime'])).toEqual([86_400, 86_400])
})

test('a hub that was not restarted after the master key changed makes no key that no start could open', async () => {
  const here = await place([900])
  const store = openSqliteStore(here.file)
  onTestFinished(() => store.close())
  // As `keys rewrap` leaves it: every key sealed with another master key.
  await store.directory.change(async ({ tables, putAs }) => {
    const rows = await tables.selectFrom('signing_keys').selectAll().execute()
    const changes = rows.map((before) => ({
      before,
      after: { ...before, sealed: 'x'.repeat(200) },
    }))
    await putAs({ verb: 'keys rewrap' })(changes.map((change) => ({ thing: 'key', ...change })))
  })
  const [ring] = here.rings
  expect(await ring?.rotate(at(start + 45 * day))).toMatchObject({
    code: 'conflict',
    detail: expect.stringMatching(/another master key.*Restart the hub/),
  })
  expect(here.keys()).toHaveLength(1)
  await ring?.follow()
  expect(ring?.signing.kid).toBe(here.keys()[0]?.['kid'])
})

test('a hub follows what a command did, before its next token is signed', async () => {
  const here = await place([900, 900])
  const store = openSqliteStore(here.file)
  onTestFinished(() => store.close())
  const data = join(here.file, '..')
  const run = verbRunner({ ...store, data }, () => at(start))
  const { signing } = await run('keys rotate', { compromised: true })
  // A hub takes what happens in one turn of its event loop for simultaneous.
  await new Promise((resolve) => setImmediate(resolve))
  for (const ring of here.rings) {
    await ring.follow()
    expect(ring.signing.kid).toBe(signing)
    expect(ring.published.map(({ kid }) => kid)).toEqual([signing])
  }
})
