/** Three storages of one bucket: whatever one of them has accepted, signed or replaced, each of the others knows. */

import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { type LocalS3Store, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Held, storageCalls } from '../restore/storage-calls.ts'
import { storageHere } from '../serve-here.ts'
import { blobOpener } from './running-storage.ts'
import { openStorages, type StorageFlags, type StoragesOfABucket } from './storages-of-a-bucket.ts'

const so = 'storages without a disk are not tested'
const isMissing = [isPostgresMissing(so), isVersitygwMissing(so)].includes(true)

describe.skipIf(isMissing)('three storages of one bucket', () => {
  let store: LocalS3Store
  let own: Awaited<ReturnType<typeof ownDatabase>>
  beforeAll(async () => {
    own = await ownDatabase()
    store = await sharedVersitygw()
  })
  afterAll(() => store?.kill())
  beforeEach(async () => {
    await own.sql('drop schema if exists latchkey_storage cascade')
  })
  const open = (more: StorageFlags = {}) =>
    openStorages({ store, own, more, startStorage: storageHere })

  it('serve each the content and the URLs of the others, and soon all reject those of a replaced key', async () => {
    const site = await open()
    const held = await site.held()
    const [one, two, three] = site.urls.map(storageCalls)
    expect(await one?.put(held, 'content')).toBe(200)
    expect([await two?.look(held, 'content'), await three?.look(held, 'content')]).toEqual([
      ...[200, 200],
    ])
    const openAt = await blobOpener(held, 'content')
    const statuses = () => Promise.all(site.urls.map(openAt))
    expect(await statuses()).toEqual([206, 206, 206])
    expect(await site.run('rotate-key')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the blob URL key in the catalogue is replaced'),
    })
    await expect.poll(statuses, { timeout: 60_000 }).toEqual([403, 403, 403])
    const again = await blobOpener(held, 'content')
    expect(await Promise.all(site.urls.map(again))).toEqual([206, 206, 206])
    for (const name of ['one', 'two', 'three'])
      expect(readdirSync(join(site.cwd, name), { recursive: true }).toSorted()).toEqual(['scratch'])
  })

  it('take the pieces of one file in turn, and one account no more than its quota', async () => {
    const site = await open({ storageQuotaBytes: '40000' })
    const held = await site.held()
    const file = randomBytes(30_000)
    const part = async (index: number, start: number, end: number) =>
      sendPart(site, held, { index, file, id: 'pieces', start, end })
    expect(await part(0, 0, 10_000)).toEqual([202, '10000'])
    expect(await part(1, 10_000, 20_000)).toEqual([202, '20000'])
    // A request that comes again begins where another process has got to.
    expect(await part(2, 10_000, 20_000)).toEqual([409, '20000'])
    const [status, hash] = await part(2, 20_000, 30_000)
    expect(status).toBe(200)
    const headers = { authorization: `Bearer ${held.accessToken}` }
    for (const url of site.urls) {
      const path = `${new URL(held.casUrl).pathname}/v1/files/${hash}`
      const response = await fetch(url + path, { headers })
      expect(file.equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
    }
    const words = Array.from({ length: 12 }, (_, index) => `word ${index}`)
    const sent = words.map((word, index) =>
      storageCalls(site.urls[index % 3] ?? '').putXorb(held, word),
    )
    const statuses = await Promise.all(sent)
    expect(new Set(statuses)).toEqual(new Set([200, 413]))
    const total = await own.sql('SELECT sum(bytes) FROM latchkey_storage.stored_totals')
    const summed = await own.sql(
      'SELECT sum(packed_bytes) + (SELECT sum(length(terms)) FROM latchkey_storage.stored_files) FROM latchkey_storage.stored_xorbs',
    )
    expect(total).toBe(summed)
    expect(Number(total)).toBeLessThanOrEqual(40_000)
  })

  it('that get a part of one file at the same moment keep one of both, and never mix them', async () => {
    const site = await open()
    const held = await site.held()
    const path = `${new URL(held.casUrl).pathname}/v1/files`
    const authorization = `Bearer ${held.accessToken}`
    for (let round = 0; round < rounds(3, 100); round += 1) {
      const [parts, partBytes] = [4, 10_000]
      const file = randomBytes(parts * partBytes)
      const id = `race-${round}`
      const offsetAt = async (url: string) => {
        const response = await fetch(`${url + path}?upload=${id}`, {
          ...{ method: 'HEAD', headers: { authorization } },
        })
        return Number(response.headers.get('upload-offset') ?? 0)
      }
      const hashes = new Set<unknown>()
      while (hashes.size === 0) {
        const offset = await offsetAt(site.urls[0] ?? '')
        // Parts of different lengths, so that a mixture would be another file.
        const sent = site.urls.map((_, index) =>
          sendPart(site, held, {
            ...{ index, file, id, start: offset },
            end: Math.min(file.length, offset + partBytes + index * 1000),
          }),
        )
        const outcomes = await Promise.all(sent)
        for (const [status, value] of outcomes) {
          expect([200, 202, 409]).toContain(status)
          if (status === 200) hashes.add(value)
        }
        const winners = outcomes.filter(([status]) => status !== 409)
        expect(winners.length).toBeGreaterThan(0)
        if (hashes.size === 0) {
          expect(winners).toHaveLength(1)
          const [[, offset] = []] = winners
          for (const url of site.urls) expect(await offsetAt(url)).toBe(Number(offset))
        }
      }
      expect(hashes.size).toBe(1)
      const [hash] = hashes
      const response = await fetch(`${site.urls[1]}${path}/${hash}`, { headers: { authorization } })
      expect(file.equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
    }
  })

  it('are measured, verified, collected and cleared by commands of another machine', async () => {
    const site = await open()
    const held = await site.held()
    const [one, two] = site.urls.map(storageCalls)
    expect([await one?.put(held, 'content'), await two?.putXorb(held, 'unused')]).toEqual([
      ...[200, 200],
    ])
    const json = async (...args: string[]) => {
      const { stdout, stderr, code } = await site.run(...args, '--json')
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout)
    }
    expect(await json('usage')).toMatchObject({ repositories: [{ objects: 3 }] })
    expect(await json('verify', '--content')).toMatchObject({ objects: 2, badObjects: 0 })
    await own.sql('UPDATE latchkey_storage.stored_xorbs SET written_at = 1, renewed_at = 1')
    expect(await json('gc', '--delete')).toMatchObject({ xorbs: { count: 1 } })
    expect(await json('reconcile')).toMatchObject({ orphans: [] })
    expect(await two?.look(held, 'content')).toBe(200)
    const { repositories } = await json('usage')
    const hash = await own.sql('SELECT hash FROM latchkey_storage.stored_files')
    await json('delete', repositories[0].repository, hash, '--yes')
    expect([await one?.look(held, 'content'), await two?.look(held, 'content')]).toEqual([
      ...[404, 404],
    ])
  })
})

interface Part {
  /** Which of the storages. */
  readonly index: number
  readonly file: Buffer
  /** The name of the upload. */
  readonly id: string
  readonly start: number
  readonly end: number
}

async function sendPart(
  { urls }: StoragesOfABucket,
  { accessToken, casUrl }: Held,
  { index, file, id, start, end }: Part,
): Promise<readonly unknown[]> {
  const path = `${new URL(casUrl).pathname}/v1/files?upload=${id}`
  const response = await fetch(urls[index] + path, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${accessToken}`,
      'content-range': `bytes ${start}-${end - 1}/${file.length}`,
    },
    body: new Uint8Array(file.subarray(start, end)),
  })
  const { hash } = JSON.parse((await response.text()) || '{}')
  const offset = response.headers.get('upload-offset')
  return offset === null ? [response.status, hash] : [response.status, offset]
}
