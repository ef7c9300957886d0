/** Files are hashed once, in shares, and those who look for one wait only so long. */

import { asRefUid, asRepositoryUid, isRefusal, type RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { expect, onTestFinished, test } from 'vitest'
import type { FileOfRef, HashedFile, StoredFile } from '../../src/catalog/catalog.ts'
import type { Sha256 } from '../../src/catalog/sha256.ts'
import { Terms } from '../../src/catalog/terms.ts'
import { fileHasher } from '../../src/files/file-hasher.ts'
import { findBySha256 } from '../../src/files/find-by-sha256.ts'
import type { Sha256Outcome, Sha256Task } from '../../src/files/sha256-work.ts'
import type { StorageCall } from '../../src/request/asked.ts'
import { hash } from '../catalog/content.ts'

const refUid = asRefUid('main')
const sha256Of = (file: string): Sha256 => hash(`bytes of ${file}`) as string as Sha256

/** Threads that hash when the test says so. */
function openHasher() {
  const begun: { readonly task: Sha256Task; finish(): void }[] = []
  const noted: HashedFile[] = []
  const hasher = fileHasher({
    catalog: {
      findSha256s: async () => new Map(),
      async noteSha256s(_: RepositoryUid, files) {
        noted.push(...files)
      },
    },
    pool: {
      run: (task, { signal } = {}) =>
        new Promise<readonly Sha256Outcome[]>((resolve, reject) => {
          const finish = () =>
            resolve(task.files.map((file) => ({ ...file, sha256: sha256Of(file.hash) })))
          signal?.addEventListener('abort', () => reject(signal.reason))
          begun.push({ task, finish })
        }),
    },
    onDamage: () => {},
    onFailure: () => {},
  })
  onTestFinished(() => hasher.close())
  return { hasher, begun, noted }
}

const payerOf = (account: string) => ({ account, repositoryUid: asRepositoryUid('repository') })
const fileOf = (word: string): FileOfRef => ({ refUid, hash: hash(word) })

function registered(word: string, bytes = 1): StoredFile {
  return { hash: hash(word), bytes, terms: Terms.of([]) }
}

function askedBy(account: string): StorageCall {
  const { signal } = new AbortController()
  const place = { refUid, repositoryUid: asRepositoryUid('repository') }
  const query = new URLSearchParams('size=1')
  return { payer: payerOf(account), signal, place, view: {}, query } as unknown as StorageCall
}

const catalogOf = (files: readonly FileOfRef[], noted: readonly HashedFile[]) => ({
  findSha256: async (_: unknown, sha256: Sha256): Promise<Hash | undefined> =>
    noted.find((file) => file.sha256 === sha256)?.hash,
  findUnhashed: async () => files.filter(({ hash }) => !noted.some((file) => file.hash === hash)),
})

test('those who ask for the same file at once wait for one computation', async () => {
  const { hasher, begun, noted } = openHasher()
  hasher.hashLater(askedBy('writer'), [registered('file')])
  await expect.poll(() => begun).toHaveLength(1)
  const asked = ['one', 'two'].map((account) => hasher.hashNow(payerOf(account), fileOf('file'), 1))
  begun[0]?.finish()
  expect(await Promise.all(asked)).toEqual([sha256Of(hash('file')), sha256Of(hash('file'))])
  expect([begun.length, noted.length]).toEqual([1, 1])
})

test('large files of one account leave room for others, and what it sends more waits or is refused', async () => {
  const { hasher, begun } = openHasher()
  const large = Array.from({ length: 40 }, (_, at) =>
    hasher.hashNow(payerOf('greedy'), fileOf(`large ${at}`), 50 * 1024 ** 3),
  )
  await expect.poll(() => begun).toHaveLength(1)
  void hasher.hashNow(payerOf('modest'), fileOf('small'), 1)
  await expect.poll(() => begun).toHaveLength(2)
  expect(begun[1]?.task.files).toEqual([fileOf('small')])
  const refused = await Promise.all(large.slice(33))
  expect(refused.every(isRefusal)).toBe(true)
  for (const asked of large) asked.catch(() => {})
})

test('a shard of many files takes one task at a time', async () => {
  const { hasher, begun, noted } = openHasher()
  hasher.hashLater(
    askedBy('writer'),
    Array.from({ length: 200 }, (_, at) => registered(`file ${at}`)),
  )
  for (let task = 0; task < 4; task += 1) {
    await expect.poll(() => begun).toHaveLength(task + 1)
    begun[task]?.finish()
  }
  await expect.poll(() => noted).toHaveLength(200)
})

// conformance: Embedded storage / A SHA-256 in a shard gives no access and no information
test('who looks for a file that takes too long is told to ask again, and finds it then', async () => {
  const { hasher, begun, noted } = openHasher()
  const look = findBySha256({
    catalog: catalogOf([fileOf('file')], noted),
    hasher,
    patienceMs: 20,
  })
  const sha256 = sha256Of(hash('file')) as string as Hash
  const late = await look(askedBy('reader'), sha256)
  expect(late).toMatchObject({ code: 'not_ready', retryAfterSeconds: 5 })
  expect(begun).toHaveLength(1)
  begun[0]?.finish()
  await expect.poll(() => noted).toHaveLength(1)
  expect(await look(askedBy('reader'), sha256)).toMatchObject({ status: 200 })
  expect(begun).toHaveLength(1)
})

test('a storage that stops gives up what is not computed', async () => {
  const { hasher, begun } = openHasher()
  hasher.hashLater(askedBy('writer'), [registered('file')])
  await expect.poll(() => begun).toHaveLength(1)
  await hasher.close()
  hasher.hashLater(askedBy('writer'), [registered('another')])
  expect(begun).toHaveLength(1)
})

test('a file that is hashed while a request looks for it is found', async () => {
  const { hasher, begun, noted } = openHasher()
  const file = fileOf('file')
  const { findSha256, findUnhashed } = catalogOf([file], noted)
  /** Between the first read of a request and its second one. */
  const noteAfter = async <Read>(read: Promise<Read>): Promise<Read> => {
    const found = await read
    noted.push({ ...file, sha256: sha256Of(file.hash) })
    return found
  }
  const catalog = {
    findSha256: (...wanted: Parameters<typeof findSha256>) => noteAfter(findSha256(...wanted)),
    findUnhashed: () => noteAfter(findUnhashed()),
  }
  const find = findBySha256({ catalog, hasher })
  const told = await find(askedBy('reader'), sha256Of(file.hash) as string as Hash)
  expect(told).toMatchObject({ status: 200 })
  expect(begun).toHaveLength(0)
})
