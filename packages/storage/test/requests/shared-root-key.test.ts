/** The root of all keys of blob URLs, for processes that share a catalogue and a secret. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { expect, it, onTestFinished } from 'vitest'
import { openSharedRootKey, rotateSharedRootKey } from '../../src/blob-url/shared-root-key.ts'
import { openCatalog } from '../../src/catalog/catalog-database.ts'

const keyOf = (byte: number) =>
  new Secret('storage-master-key', Buffer.alloc(32, byte).toString('base64'))
const [masterKey, otherKey] = [keyOf(1), keyOf(2)]
const randomBytes = pooledRandom()

function sharedCatalogue() {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-shared-root-'))
  const catalogue = openCatalog(data)
  onTestFinished(async () => {
    await catalogue.close()
    rmSync(data, { recursive: true })
  })
  const { now: stopwatch, pass } = movedStopwatch()
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  let reads = 0
  let isAway = false
  const database: typeof catalogue = {
    ...catalogue,
    async read(work) {
      reads += 1
      if (isAway) throw new Error('the database is away')
      return catalogue.read(work)
    },
  }
  const goAway = () => {
    isAway = true
  }
  const open = async (key = masterKey) => {
    const options = { database, masterKey: key, stopwatch, randomBytes, onFailure }
    const { current, freshen } = await openSharedRootKey(options)
    return async () => {
      await freshen()
      return current().export().toString('hex')
    }
  }
  const rotate = (key = masterKey) => rotateSharedRootKey(database, key, randomBytes)
  const stored = () =>
    catalogue.read((tables) => tables.selectFrom('settings').selectAll().execute())
  return { open, rotate, stored, pass, failures, goAway, reads: () => reads }
}

it('two processes have the same root, and the catalogue does not have it', async () => {
  const { open, stored } = sharedCatalogue()
  const [one, other] = await Promise.all([open(), open()])
  const root = await one()
  expect(await other()).toBe(root)
  const text = JSON.stringify(await stored())
  expect(text).toContain('blob_url_salt')
  for (const form of ['hex', 'base64', 'base64url'] as const) {
    expect(text).not.toContain(Buffer.from(root, 'hex').toString(form))
    expect(text).not.toContain(Buffer.alloc(32, 1).toString(form))
  }
})

it('both use another root within two seconds of its replacement, and never the old one again', async () => {
  const { open, rotate, pass, failures } = sharedCatalogue()
  const [one, other] = [await open(), await open()]
  const before = await one()
  await rotate()
  pass(2)
  const after = await one()
  expect(after).not.toBe(before)
  expect([await other(), await (await open())()]).toEqual([after, after])
  expect(failures).toEqual([])
})

it('the catalogue is asked once a second, however many requests come, and a failure is theirs', async () => {
  const { open, pass, goAway, reads } = sharedCatalogue()
  const root = await open()
  const opened = reads()
  await Promise.all(Array.from({ length: 50 }, root))
  expect(reads()).toBe(opened)
  pass(1)
  await Promise.all(Array.from({ length: 50 }, root))
  expect(reads()).toBe(opened + 1)
  pass(1)
  goAway()
  await expect(root()).rejects.toThrow('away')
})

it('a process with another master key does not start; one that runs uses no root that others have', async () => {
  const { open, rotate, pass, failures } = sharedCatalogue()
  const running = await open()
  const before = await running()
  await expect(open(otherKey)).rejects.toThrow(/another LATCHKEY_STORAGE_MASTER_KEY.*rotate-key/)
  await rotate(otherKey)
  pass(2)
  const alone = await running()
  expect([before, await (await open(otherKey))()]).not.toContain(alone)
  expect(failures).toHaveLength(1)
})
