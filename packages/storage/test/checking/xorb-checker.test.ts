/** The checker: drafts become objects or stay as they were. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeXorb, randomChunks, wordyBytes, xorbFooter } from '@latchkey/testing/xet/making'
import { chunkHash, type Hash, hashAt, isEligible, isFlaw } from '@latchkey/xet/format'
import { blake3 } from '@napi-rs/blake-hash'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { xorbChecker } from '../../src/checking/xorb-checker.ts'
import { DiskFull } from '../../src/objects/object-store.ts'
import { readTable } from '../../src/objects/read-table.ts'
import { threadPool } from '../../src/threads/thread-pool.ts'

const xorb = makeXorb([...randomChunks('checked', 40), wordyBytes('checked', 20_000)])
const other = 'f'.repeat(64) as Hash

const checker = xorbChecker(threadPool, 2)
afterAll(() => checker.close())

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'latchkey-checking-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

async function draft(bytes: Buffer): Promise<string> {
  const file = join(await folder(), 'draft')
  await writeFile(file, bytes)
  return file
}

describe('refused', () => {
  test('a draft that is flawed stays as it was', async () => {
    const file = await draft(xorb.bytes)
    const checked = await checker.check(file, other)
    expect(checked).toEqual({ flaw: `The xorb's chunks make ${xorb.hash}, not ${other}.` })
    expect(xorb.bytes.equals(await readFile(file))).toBe(true)
  })

  test('a draft that is not there fails, and the next check goes on', async () => {
    const missing = join(await folder(), 'none')
    await expect(checker.check(missing, xorb.hash)).rejects.toThrow(/ENOENT/)
    expect(isFlaw(await checker.check(await draft(xorb.bytes), xorb.hash))).toBe(false)
  })

  test('that the disk is full is told in the words of the object store', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    const brokenPool = () => ({ run: () => Promise.reject(full), async close() {} })
    const { check } = xorbChecker(brokenPool, 1)
    await expect(check('draft', other)).rejects.toThrow(DiskFull)
  })
})

describe('found to be sound', () => {
  test.each([0, 11, 5000])(
    'a draft becomes an object, a footer of %i bytes is cut off',
    async (length) => {
      const footer = length === 0 ? Buffer.alloc(0) : xorbFooter(length)
      const file = await draft(Buffer.concat([xorb.bytes, footer]))
      const checked = await checker.check(file, xorb.hash)
      expect(checked).toEqual({
        digest: blake3(xorb.bytes).toString('hex'),
        packedBytes: xorb.bytes.length,
        unpackedBytes: 60_000,
        chunks: 41,
        askedChunks: [xorb.table.hash(0)],
      })
      const object = Buffer.concat([xorb.bytes, xorb.table.encoded()])
      expect(object.equals(await readFile(file))).toBe(true)
      expect((await readTable(file)).encoded()).toEqual(xorb.table.encoded())
    },
  )

  test('the first chunk and those that clients may ask for are named, each once', async () => {
    const { chunk, hash } = eligibleChunk()
    const { bytes, hash: name, table } = makeXorb([...randomChunks('eligible', 5), chunk, chunk])
    const checked = await checker.check(await draft(bytes), name)
    expect(checked).toMatchObject({ askedChunks: [table.hash(0), hash], chunks: 7 })
  })

  test('many drafts at once, on fewer threads, each with its own outcome', async () => {
    const checks = Array.from({ length: 20 }, async (_, index) => {
      const { bytes, hash } = makeXorb(randomChunks(index, 3))
      const checked = await checker.check(await draft(bytes), index % 2 === 0 ? hash : other)
      return isFlaw(checked) ? 'flaw' : checked.digest === blake3(bytes).toString('hex')
    })
    const expected = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? true : 'flaw'))
    expect(await Promise.all(checks)).toEqual(expected)
  })
})

/** One in 1024 is; there is always one among the first few thousand. */
function eligibleChunk(): { chunk: Buffer; hash: Hash } {
  for (let index = 0; ; index += 1) {
    const chunk = Buffer.from(`chunk ${index}`)
    const hash = chunkHash(chunk)
    if (isEligible(hash)) return { chunk, hash: hashAt(hash) }
  }
}
