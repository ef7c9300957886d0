/** The checker: drafts become objects or stay as they were. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { makeXorb, randomChunks, wordyBytes, xorbFooter } from '@latchkey/testing/xet/making'
import { chunkHash, type Hash, hashAt, isEligible, isFormatError } from '@latchkey/xet/format'
import { blake3 } from '@napi-rs/blake-hash'
import { afterAll, describe, expect, test } from 'vitest'
import { xorbChecker } from '../../src/checking/xorb-checker.ts'
import { readTable } from '../../src/objects/disk/tables.ts'
import { DiskFull, type DraftId } from '../../src/objects/object-store.ts'
import { diskObjects } from '../../src/objects/open-objects.ts'
import { threadPool } from '../../src/threads/thread-pool.ts'

const xorb = makeXorb([...randomChunks('checked', 40), wordyBytes('checked', 20_000)])
const other = 'f'.repeat(64) as Hash

const folder = sharedFolder()
const place = { kind: 'disk', folder } as const
const checker = xorbChecker(threadPool, place, 2)
afterAll(() => checker.close())

async function draft(bytes: Buffer): Promise<DraftId> {
  const received = await diskObjects(place).receive(Readable.from([bytes]), bytes.length)
  if (received === undefined) throw new Error('the draft was too long')
  return received.id
}

const fileOf = (id: DraftId) => join(folder, 'drafts', id)

describe('refused', () => {
  test('a draft that is flawed stays as it was', async () => {
    const id = await draft(xorb.bytes)
    const checked = await checker.check(id, other)
    expect(checked).toEqual({ flaw: `The xorb's chunks make ${xorb.hash}, not ${other}.` })
    expect(xorb.bytes.equals(readFileSync(fileOf(id)))).toBe(true)
  })

  test('a draft that is not there fails, and the next check goes on', async () => {
    const missing = '0'.repeat(32) as DraftId
    await expect(checker.check(missing, xorb.hash)).rejects.toThrow(/ENOENT/)
    expect(isFormatError(await checker.check(await draft(xorb.bytes), xorb.hash))).toBe(false)
  })

  test('that the disk is full is told in the words of the object store', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    const brokenPool = () => ({ run: () => Promise.reject(full), async close() {} })
    const { check } = xorbChecker(brokenPool, place, 1)
    await expect(check('0'.repeat(32) as DraftId, other)).rejects.toThrow(DiskFull)
  })
})

describe('found to be sound', () => {
  test.each([0, 11, 5000])(
    'a draft becomes an object, a footer of %i bytes is cut off',
    async (length) => {
      const footer = length === 0 ? Buffer.alloc(0) : xorbFooter(length)
      const id = await draft(Buffer.concat([xorb.bytes, footer]))
      const checked = await checker.check(id, xorb.hash)
      expect(checked).toEqual({
        digest: blake3(xorb.bytes).toString('hex'),
        packedBytes: xorb.bytes.length,
        unpackedBytes: 60_000,
        chunks: 41,
        askedChunks: [xorb.table.hash(0)],
      })
      const object = Buffer.concat([xorb.bytes, xorb.table.encoded()])
      expect(object.equals(readFileSync(fileOf(id)))).toBe(true)
      expect((await readTable(fileOf(id))).encoded()).toEqual(xorb.table.encoded())
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
      return isFormatError(checked) ? 'flaw' : checked.digest === blake3(bytes).toString('hex')
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
