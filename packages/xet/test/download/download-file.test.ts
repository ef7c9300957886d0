import { randomBytes } from '@latchkey/testing/xet/making'
import { beforeAll, describe, expect, it } from 'vitest'
import { triesWithin } from '../../src/download/backoff.ts'
import { downloadFile } from '../../src/download/download-file.ts'
import type { Hash } from '../../src/format/hash.ts'
import { type MemoryStorage, memoryStorage } from '../memory-storage.ts'
import { downloadWhole, uploadAll, uploadOne } from '../moving.ts'

/** No longer than the first part that is asked for. */
const content = randomBytes(20, 420_000)

async function storageWith(...contents: Uint8Array[]) {
  const storage = memoryStorage()
  const uploaded = await uploadAll(storage, ...contents)
  storage.calls.length = 0
  return { storage, hashes: uploaded.map(({ hash }) => hash) }
}

async function storageWithFile() {
  const { storage, hashes } = await storageWith(content)
  const [hash] = hashes
  if (hash === undefined) throw new Error('nothing was uploaded')
  return { storage, hash }
}

describe('what is not the file', () => {
  it.each([
    ['a byte of it is another', 400_000],
    ['a header is another', 0],
  ])('because %s is never given to its end', async (_, place) => {
    const { storage, hash } = await storageWithFile()
    storage.spoil = (bytes) => {
      bytes[place] = (bytes[place] ?? 0) ^ 1
      return bytes
    }
    await expect(downloadWhole(storage, hash)).rejects.toMatchObject({ name: 'IntegrityError' })
  })

  it('because the storage tells of other chunks is never given to its end', async () => {
    const { storage, hashes } = await storageWith(content, randomBytes(21, 900_000))
    const [hash, other] = hashes
    if (hash === undefined || other === undefined) throw new Error('nothing was uploaded')
    const { reconstruct } = storage
    storage.reconstruct = () => reconstruct(other)
    await expect(downloadWhole(storage, hash)).rejects.toThrow(
      `the storage sent another file, ${other}, instead of ${hash}`,
    )
  })

  it.each([
    ['nothing', undefined],
    ['no terms', { fetch_info: {} }],
    [
      'a term without a hash',
      { terms: [{ range: { start: 0, end: 1 }, unpacked_length: 1 }], fetch_info: {} },
    ],
    [
      'a range that is no range',
      { terms: [], fetch_info: { [`${'a'.repeat(64)}`]: [{ range: 7 }] } },
    ],
    [
      'a term that no URL opens',
      {
        terms: [{ hash: 'a'.repeat(64), range: { start: 0, end: 1 }, unpacked_length: 1 }],
        fetch_info: {},
      },
    ],
    [
      'a term that goes beyond its run',
      {
        terms: [{ hash: 'a'.repeat(64), range: { start: 0, end: 2 }, unpacked_length: 1 }],
        fetch_info: {
          ['a'.repeat(64)]: [
            { range: { start: 0, end: 1 }, url: 'http://any', url_range: { start: 0, end: 9 } },
          ],
        },
      },
    ],
    [
      'a run longer than a xorb',
      {
        terms: [],
        fetch_info: {
          ['a'.repeat(64)]: [
            {
              range: { start: 0, end: 1 },
              url: 'http://any',
              url_range: { start: 0, end: 2 ** 31 },
            },
          ],
        },
      },
    ],
    [
      'a run that is too short for its chunks',
      {
        terms: [],
        fetch_info: {
          ['a'.repeat(64)]: [
            { range: { start: 0, end: 8192 }, url: 'http://any', url_range: { start: 0, end: 9 } },
          ],
        },
      },
    ],
  ])('because the storage answers %s is not begun', async (_, answer) => {
    const { storage, hash } = await storageWithFile()
    storage.reconstruct = async () => ({ storageUrl: 'http://any', answer })
    await expect(downloadWhole(storage, hash)).rejects.toThrow(
      /^the storage (?:tells in no readable way what|names no URL for)/,
    )
    expect(storage.calls).not.toContain('readRun')
  })

  it('because a term is shorter than announced is never given to its end', async () => {
    const { storage, hash } = await storageWithFile()
    const found = storage.files.get(hash)
    storage.files.set(hash, {
      sha256: undefined,
      terms: (found?.terms ?? []).map((term) => ({ ...term, unpackedBytes: 7 })),
    })
    await expect(downloadWhole(storage, hash)).rejects.toThrow('bytes where it announced 7')
  })
})

describe('a run that breaks off', () => {
  it('for good is given up after a few tries', async () => {
    const { storage, hash } = await storageWithFile()
    storage.spoil = () => Buffer.alloc(0)
    await expect(downloadWhole(storage, hash)).rejects.toMatchObject({ name: 'RangeFetchError' })
    expect(storage.calls.filter((call) => call === 'readRun')).toHaveLength(triesWithin(60) + 1)
    storage.calls.length = 0
    const impatient = { ...storage, maxTries: 2 }
    await expect(downloadWhole(impatient, hash)).rejects.toMatchObject({ name: 'RangeFetchError' })
    expect(storage.calls.filter((call) => call === 'readRun')).toHaveLength(3)
  })

  it('goes on where it was, over a new URL, as often as something came', async () => {
    const { storage, hash } = await storageWithFile()
    storage.spoil = (bytes) => bytes.subarray(0, 60_000)
    expect(content.equals(await downloadWhole(storage, hash))).toBe(true)
    const { calls } = storage
    expect(calls.filter((call) => call === 'pause').length).toBeGreaterThan(5)
    expect(calls.slice(0, 5)).toEqual(['reconstruct', 'readRun', 'pause', 'reconstruct', 'readRun'])
  })
})

it('a run that several terms need is fetched once', async () => {
  const storage = memoryStorage()
  const some = randomBytes(25, 200_000)
  const repeated = Buffer.concat([some, randomBytes(22, 60_000), some, some])
  const { hash } = await uploadOne(storage, repeated)
  expect(storage.files.get(hash)?.terms.length).toBeGreaterThan(1)
  storage.calls.length = 0
  expect(repeated.equals(await downloadWhole(storage, hash))).toBe(true)
  expect(storage.calls.filter((call) => call === 'readRun')).toHaveLength(1)
})

it('how long the file will be is known before its first byte', async () => {
  const { storage, hash } = await storageWithFile()
  const { bytes } = await downloadFile(storage, hash)
  expect([bytes, storage.calls]).toEqual([content.length, ['reconstruct']])
})

describe('of a long file', () => {
  const long = randomBytes(23, 36_000_000)
  let storage: MemoryStorage
  let hash: Hash
  beforeAll(async () => {
    storage = memoryStorage()
    hash = (await uploadOne(storage, long)).hash
  })

  it('piece after piece comes, with no more than four requests under way', async () => {
    const { readRun } = storage
    let [underWay, most] = [0, 0]
    const counting: MemoryStorage['readRun'] = async (request, into) => {
      underWay += 1
      most = Math.max(most, underWay)
      expect(into.length).toBeLessThanOrEqual(8 * 1024 * 1024)
      await new Promise(setImmediate)
      underWay -= 1
      return readRun(request, into)
    }
    expect(long.equals(await downloadWhole({ ...storage, readRun: counting }, hash))).toBe(true)
    expect(most).toBe(4)
  })

  it('a storage that tells of other bytes than it was asked for is not believed', async () => {
    const whole: MemoryStorage['reconstruct'] = (file) => storage.reconstruct(file)
    await expect(downloadWhole({ ...storage, reconstruct: whole }, hash)).rejects.toThrow(
      'the storage tells of other bytes than it was asked for',
    )
  })
})
