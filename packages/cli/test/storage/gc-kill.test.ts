/** SIGKILL to `latchkey storage gc` on a bucket, and two of them at once: nothing that is in use goes, and the next one ends it. */

import { globSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import {
  type Fault,
  type FaultProxy,
  type StoreRequest,
  startFaultProxy,
} from '@latchkey/testing/s3/fault-proxy'
import { type LocalS3Store, type S3PlaceOfTest, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { catalogueOf, openSite } from '../identity/site.ts'
import { type StorageCalls, storageCalls } from '../restore/storage-calls.ts'
import { ended, start } from '../run-latchkey.ts'
import { storageHere } from '../serve-here.ts'
import { openStorages } from './storages-of-a-bucket.ts'

const so = 'garbage collection of a bucket is not killed'
const hasNoStore = isVersitygwMissing(so)
const hasNoDatabase = isPostgresMissing(so)

/** One request of a collection, before or after which it is killed. */
interface Moment {
  readonly kind: 'put' | 'post'
  readonly isAfter: boolean
}

const moments: readonly Moment[] = [
  { kind: 'put', isAfter: true },
  { kind: 'post', isAfter: false },
  { kind: 'post', isAfter: true },
]
/** Each start of a process takes more than a second of a core. */
const randomKills = rounds(0, 60)
const maxMs = 1500

describe.skipIf(hasNoStore)('garbage collection of a bucket', () => {
  let store: LocalS3Store
  let proxy: FaultProxy
  let place: S3PlaceOfTest
  beforeAll(async () => {
    store = await sharedVersitygw()
    proxy = await startFaultProxy(store.port)
  })
  beforeEach(async () => {
    await proxy.mend()
    proxy.forget()
    place = store.newPlace()
  })
  afterAll(async () => {
    await proxy?.close()
    await store?.kill()
  })
  const inBucket = () => globSync('{objects,tables}/*/*', { cwd: store.fileOf(place, '') })

  // conformance: Embedded storage / A kill of the storage or of its hub loses no acknowledged write
  it('is killed at any moment, loses nothing that is in use, and is ended by the next one', async () => {
    const chance = printedChance('kills of a collection')
    const { bucket, credentials } = place
    const env = {
      LATCHKEY_OBJECTS: `s3://${bucket}/a/hub`,
      LATCHKEY_OBJECTS_ENDPOINT: proxy.endpoint,
      LATCHKEY_STORAGE_DELETED_KEEP_DAYS: '0',
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }
    const site = await openSite(env)
    const age = () => {
      const catalogue = new DatabaseSync(catalogueOf(site), { timeout: 60_000 })
      catalogue.exec('UPDATE stored_xorbs SET written_at = 1, renewed_at = 1')
      catalogue.exec('UPDATE stored_objects SET reserved_at = 1')
      catalogue.close()
    }
    const addUnused = (count: number, run: string) =>
      site.serving(async ({ storageUrl, held }) => {
        const { putXorb } = storageCalls(storageUrl)
        const words = Array.from({ length: count }, (_, index) => `unused ${run} ${index}`)
        for (const word of words) expect(await putXorb(held, word)).toBe(200)
        age()
      })
    const startGc = () => start(['storage', 'gc', '--delete'], { cwd: site.cwd, env })

    await addUnused(3, 'first')
    const before = inBucket().length
    for (const { kind, isAfter } of moments) {
      const child = startGc()
      const killed = () => void child.kill('SIGKILL')
      proxy.decide((request): Fault | undefined => {
        if (request.kind !== kind) return undefined
        if (!isAfter) killed()
        else void untilDone(request).then(killed)
        return isAfter ? { loseResponse: true } : { isSilent: true }
      })
      expect(await ended(child), `${kind} ${isAfter}`).toBeNull()
      await proxy.mend()
      if (!isAfter || kind === 'put') expect(inBucket()).toHaveLength(before)
    }
    // The bytes are gone, and their rows are there.
    expect(inBucket()).toHaveLength(2)
    for (let kill = 0; kill < randomKills; kill += 1) {
      await addUnused(3, `${kill}`)
      const child = startGc()
      await delay(chance.next() * maxMs)
      child.kill('SIGKILL')
      await ended(child)
    }
    expect(await site.json('storage', 'gc', '--delete')).toMatchObject({ deleted: true })
    expect(inBucket()).toHaveLength(2)
    expect(await site.json('storage', 'verify', '--content')).toMatchObject({
      ...{ objects: 1, badObjects: 0 },
    })
    expect(await site.json('storage', 'gc', '--unknown')).toMatchObject({
      ...{ xorbs: { count: 0 }, objects: { count: 0 }, unknown: { count: 0 } },
    })
    await site.serving(async ({ storageUrl, held }) => {
      expect(await storageCalls(storageUrl).look(held, 'content')).toBe(200)
    })
  })

  describe.skipIf(hasNoDatabase)('by two processes at once', () => {
    let own: OwnDatabase
    beforeAll(async () => {
      own = await ownDatabase()
    })

    // conformance: Guarantees / Garbage collection during uploads loses no content
    it('beside uploads of the same bytes loses nothing that was acknowledged', async () => {
      const through = { ...store, newPlace: () => ({ ...place, endpoint: proxy.endpoint }) }
      const site = await openStorages({ store: through, own, startStorage: storageHere })
      const held = await site.held()
      const calls = site.urls.map(storageCalls)
      const words = Array.from({ length: rounds(6, 200) }, (_, index) => `word ${index}`)
      /** At every storage one after the other; no two of them begin with the same word. */
      const everywhere = (work: (calls: StorageCalls, word: string) => Promise<void>) =>
        Promise.all(
          calls.map(async (ofStorage, lane) => {
            const first = Math.floor((lane * words.length) / calls.length)
            for (const word of [...words.slice(first), ...words.slice(0, first)]) {
              await work(ofStorage, word)
            }
          }),
        )
      await everywhere(async ({ putXorb }, word) => {
        expect(await putXorb(held, word)).toBe(200)
      })
      // The test sends these once.
      for (const word of ['gone 0', 'gone 1']) expect(await calls[0]?.putXorb(held, word)).toBe(200)
      await own.sql('UPDATE latchkey_storage.stored_xorbs SET written_at = 1, renewed_at = 1')
      await own.sql('UPDATE latchkey_storage.stored_objects SET reserved_at = 1')
      const release = Promise.withResolvers<void>()
      const isOfObject = ({ kind, key }: StoreRequest) =>
        kind === 'put' && key.includes('/objects/')
      proxy.forget()
      let left = 3
      proxy.decide((request) => {
        if (request.kind === 'post') release.resolve()
        if (!isOfObject(request) || left === 0) return { delayMs: 5 }
        left -= 1
        return { after: release.promise }
      })
      const heldWords = ['held 0', 'held 1', 'held 2']
      const uploads = heldWords.map((word, index) => calls[index]?.put(held, word))
      // Their objects are reserved, and have no name yet.
      await expect.poll(() => proxy.requests.filter(isOfObject).length).toBe(3)
      const atOnce = { LATCHKEY_STORAGE_DELETED_KEEP_DAYS: '0' }
      const gc = () => site.runApart(['gc', '--delete', '--json'], atOnce)
      let isOver = false
      const collecting = Promise.all([gc(), gc()]).finally(() => {
        isOver = true
      })
      // What is collected while its file is registered is refused, and sent again.
      const acknowledged = new Set(heldWords)
      let refused = 0
      do {
        await everywhere(async ({ put }, word) => {
          const status = await put(held, word)
          if (status === 200) acknowledged.add(word)
          else refused += 1
          expect([200, 400]).toContain(status)
        })
      } while (!isOver)
      expect(await Promise.all(uploads)).toEqual([200, 200, 200])
      let collected = 0
      for (const { code, stdout, stderr } of await collecting) {
        expect(code, stderr).toBe(0)
        collected += JSON.parse(stdout).objects.count
      }
      await proxy.mend()
      const counts = { collected, acknowledged: acknowledged.size, refused }
      console.info(`two collections at once: ${JSON.stringify(counts)}`)
      expect(collected).toBeGreaterThanOrEqual(2)
      expect(acknowledged.size).toBeGreaterThan(heldWords.length)
      for (const word of acknowledged) expect(await calls[0]?.look(held, word), word).toBe(200)
      const { code, stdout } = await site.run('verify', '--content', '--json')
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { badObjects: 0 }])
    })
  })
})

async function untilDone(request: { readonly status: number | undefined }): Promise<void> {
  while (request.status === undefined) await delay(1)
}
