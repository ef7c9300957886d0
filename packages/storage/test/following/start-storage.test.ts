/** A storage that cannot start does not follow its hub; one that starts ends what a command has begun. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { memoryLink } from '@latchkey/testing/gate/memory-link'
import { workHere } from '@latchkey/testing/machine/work-here'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openCatalog } from '../../src/catalog/catalog-database.ts'
import { storeIdentity } from '../../src/identity/store-identity.ts'
import { objectsIn, type StorageSettings, startStorage } from '../../src/index.ts'
import type { ObjectKey, ObjectStore } from '../../src/objects/object-store.ts'
import { diskObjects } from '../../src/objects/open-objects.ts'

function settingsIn(data: string): StorageSettings {
  return {
    ...{ host: '127.0.0.1', port: 0, data, isolation: 'ref', leewaySeconds: 30 },
    casUrl: 'http://127.0.0.1:1/r/{repo}/{ref}',
    issuer: 'http://127.0.0.1:2',
    quota: { bytes: undefined, objects: undefined },
    timeouts: { idleSeconds: 30, totalSeconds: 3600, minBytesPerSecond: 1 },
    cors: { origins: [] },
    allowedHosts: [],
    trustedProxies: [],
    limits: { failuresPerMinute: 0, connections: 10 },
    log: { level: 'info' },
    stopDeadlineSeconds: 1,
  }
}

test('a storage whose settings are refused asks the hub nothing more, and logs nothing', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-start-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const link = memoryLink()
  link.hold()
  const asked = vi.spyOn(link, 'changes')
  const lines: string[] = []
  const starting = startStorage(
    { ...settingsIn(data), leewaySeconds: 61 },
    { link },
    { lines: { write: (line) => lines.push(line), async close() {} } },
  )
  await expect(starting).rejects.toThrow('leewaySeconds: 61 is not allowed')
  // A follower that goes on would find the database closed.
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
  expect(asked.mock.calls.every(([{ signal }]) => signal?.aborted)).toBe(true)
  expect(lines).toEqual([])
})

test('a start deletes objects that a collection has unmapped and not deleted', async () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-start-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const objects = diskObjects(objectsIn(data))
  const catalog = openCatalog(data)
  const clock = () => unixSeconds(1)
  await storeIdentity({ objects, database: catalog, clock, randomBytes: pooledRandom() }).check()
  const keys = [await putIn(objects), await putIn(objects)]
  const row = { key: String(keys[0]), digest: null, bytes: 3, reserved_at: 1, unmapped_at: 1 }
  await catalog.change((tables) => tables.insertInto('stored_objects').values(row).execute())
  await catalog.close()
  const lines = { write() {}, async close() {} }
  const trust = { link: memoryLink() }
  const storage = await startStorage(settingsIn(data), trust, { lines, openPool: workHere })
  onTestFinished(() => storage.stop())
  const sizes = () => Promise.all(keys.map(objects.sizeOf))
  await expect.poll(sizes).toEqual([undefined, 3])
})

async function putIn(objects: ObjectStore): Promise<ObjectKey> {
  const draft = await objects.receive(Readable.from([Buffer.from('abc')]), 3)
  if (draft === undefined) throw new Error('the draft is too long')
  return objects.put(draft)
}
