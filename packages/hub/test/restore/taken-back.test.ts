/** Storage tokens, and the keys that signed them, after a restore. */

import { join } from 'node:path'
import { pooledRandom } from '@latchkey/service/machine/random'
import { systemClock } from '@latchkey/service/machine/time'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { forEver } from '@latchkey/token'
import { expect, onTestFinished, test } from 'vitest'
import { findHead } from '../../src/journal/read-journal.ts'
import { repeatNarrowing } from '../../src/restore/repeat-narrowing.ts'
import { endEveryToken, removeEveryKey } from '../../src/restore/restore-hub.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import type { KeyRow } from '../../src/tables/rows.ts'

const origin = { verb: 'restore' }

const key: KeyRow = {
  kid: 'leaked',
  alg: 'ES256',
  purpose: 'tokens',
  sealed: '',
  created_at: 1,
  activates_at: 1,
  activated_at: 1,
  retired_at: null,
  max_lifetime: 900,
}

function open(file: string) {
  const store = openSqliteStore(file)
  onTestFinished(() => store.close())
  return store
}

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
test('a key that was removed after the backup does not sign again, and its tokens stay dead', async () => {
  const folder = temporaryFolder()
  const lost = open(join(folder, 'lost.db'))
  await lost.directory.change(({ putAs }) => putAs(origin)([{ thing: 'key', after: key }]))
  await lost.backup(join(folder, 'backup.db'))
  const { number: after } = await lost.readBeside(findHead)
  await lost.directory.change(({ putAs }) => putAs(origin)([{ thing: 'key', before: key }]))

  const restored = open(join(folder, 'backup.db'))
  const now = systemClock()
  const work = { after, origin, now, randomBytes: pooledRandom() }
  const repeated = await lost.directory.read((old) =>
    repeatNarrowing(restored.directory, { old, ...work }),
  )
  expect(repeated).toMatchObject([{ outcome: 'repeated', entry: { thing: 'key' } }])
  const left = await restored.readBeside((tables) =>
    tables.selectFrom('signing_keys').selectAll().execute(),
  )
  expect(left).toEqual([])
  const cuts = await restored.readBeside((tables) =>
    tables.selectFrom('cut_offs').select(['kind', 'id']).execute(),
  )
  expect(cuts).toEqual([{ kind: 'key', id: 'leaked' }])
})

test('a key that was made and removed after the backup is cut off for ever', async () => {
  const folder = temporaryFolder()
  const lost = open(join(folder, 'lost.db'))
  await lost.backup(join(folder, 'backup.db'))
  const { number: after } = await lost.readBeside(findHead)
  await lost.directory.change(({ putAs }) => putAs(origin)([{ thing: 'key', after: key }]))
  await lost.directory.change(({ putAs }) => putAs(origin)([{ thing: 'key', before: key }]))

  const restored = open(join(folder, 'backup.db'))
  const work = { after, origin, now: systemClock(), randomBytes: pooledRandom() }
  await lost.directory.read((old) => repeatNarrowing(restored.directory, { old, ...work }))
  const cuts = await restored.readBeside((tables) =>
    tables.selectFrom('cut_offs').select(['kind', 'id', 'number']).execute(),
  )
  expect(cuts).toEqual([{ kind: 'key', id: 'leaked', number: forEver }])
})

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
test('a restore ends every token that was issued before it, and none that is issued after it', async () => {
  const { directory, readBeside, access } = open(join(temporaryFolder(), 'hub.db'))
  const { number: before } = await access.version()
  await endEveryToken(directory, { origin, now: systemClock() })
  const [cut] = await readBeside((tables) => tables.selectFrom('cut_offs').selectAll().execute())
  expect(cut).toMatchObject({ kind: 'all', id: '' })
  expect(cut?.number).toBeGreaterThan(before)
  expect((await access.version()).number).toBe(cut?.number)
})

test('a restore without the old journal removes every key, because any of them may have leaked', async () => {
  const { directory, readBeside } = open(join(temporaryFolder(), 'hub.db'))
  await directory.change(({ putAs }) => putAs(origin)([{ thing: 'key', after: key }]))
  await removeEveryKey(directory, origin)
  const left = await readBeside((tables) => tables.selectFrom('signing_keys').selectAll().execute())
  expect(left).toEqual([])
  const cuts = await readBeside((tables) => tables.selectFrom('cut_offs').selectAll().execute())
  expect(cuts).toMatchObject([{ kind: 'key', id: 'leaked', number: forEver }])
})
