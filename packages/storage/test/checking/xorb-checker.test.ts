/** The checker: drafts become objects or stay as they were, and no thread takes another check down with it. */

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeXorb, randomChunks, wordyBytes, xorbFooter } from '@latchkey/testing/xet/making'
import { chunkHash, type Hash, hashAt, isEligible, isFlaw } from '@latchkey/xet/format'
import { blake3 } from '@napi-rs/blake-hash'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type XorbChecker, xorbChecker } from '../../src/checking/xorb-checker.ts'
import { DiskFull } from '../../src/objects/object-store.ts'
import { readTable } from '../../src/objects/read-table.ts'

const xorb = makeXorb([...randomChunks('checked', 40), wordyBytes('checked', 20_000)])
const other = 'f'.repeat(64) as Hash
const dying = new URL('./dying-worker.ts', import.meta.url)

function checkerOf(settings: Parameters<typeof xorbChecker>[0]): XorbChecker {
  const checker = xorbChecker(settings)
  onTestFinished(() => checker.close())
  return checker
}

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
    const checked = await checkerOf({ threads: 1 }).check(file, other)
    expect(checked).toEqual({ flaw: `The xorb's chunks make ${xorb.hash}, not ${other}.` })
    expect(await readFile(file)).toEqual(xorb.bytes)
  })

  test('a draft that is not there fails, and the next check goes on', async () => {
    const checker = checkerOf({ threads: 1 })
    const missing = join(await folder(), 'none')
    await expect(checker.check(missing, xorb.hash)).rejects.toThrow(/ENOENT/)
    expect(isFlaw(await checker.check(await draft(xorb.bytes), xorb.hash))).toBe(false)
  })

  test('that the disk is full is told in the words of the object store', async () => {
    const checker = checkerOf({ threads: 1, worker: dying })
    await expect(checker.check('full', other)).rejects.toThrow(DiskFull)
    expect(await checker.check('flawed', other)).toEqual({ flaw: 'as asked' })
  })

  test('a check fails when its thread dies, those that wait get another thread', async () => {
    const checker = checkerOf({ threads: 1, worker: dying })
    const checks = ['flawed', 'anything', 'flawed', 'anything', 'flawed'].map((file) =>
      checker.check(file, other),
    )
    const outcomes = (await Promise.allSettled(checks)).map(({ status }) => status)
    expect(outcomes).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'])
  })

  test('whatever is not checked when the checker closes fails, and so does what comes later', async () => {
    const checker = xorbChecker({ threads: 1 })
    const file = await draft(xorb.bytes)
    const settled = Promise.allSettled([1, 2, 3].map(() => checker.check(file, xorb.hash)))
    await checker.close()
    expect((await settled).map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    await expect(checker.check(file, xorb.hash)).rejects.toThrow(/closed/)
  })
})

describe('found to be sound', () => {
  test.each([0, 11, 5000])(
    'a draft becomes an object, a footer of %i bytes is cut off',
    async (length) => {
      const footer = length === 0 ? Buffer.alloc(0) : xorbFooter(length)
      const file = await draft(Buffer.concat([xorb.bytes, footer]))
      const checked = await checkerOf({ threads: 1 }).check(file, xorb.hash)
      expect(checked).toEqual({
        digest: blake3(xorb.bytes).toString('hex'),
        packedBytes: xorb.bytes.length,
        unpackedBytes: 60_000,
        chunks: 41,
        eligibleChunks: [],
      })
      expect(await readFile(file)).toEqual(Buffer.concat([xorb.bytes, xorb.table.encoded()]))
      expect((await readTable(file)).encoded()).toEqual(xorb.table.encoded())
    },
  )

  test('chunks that clients may ask for are named, each once', async () => {
    const { chunk, hash } = eligibleChunk()
    const { bytes, hash: name } = makeXorb([...randomChunks('eligible', 5), chunk, chunk])
    const checked = await checkerOf({ threads: 1 }).check(await draft(bytes), name)
    expect(checked).toMatchObject({ eligibleChunks: [hash], chunks: 7 })
  })

  test('many drafts at once, on fewer threads, each with its own outcome', async () => {
    const checker = checkerOf({ threads: 2 })
    const checks = Array.from({ length: 20 }, async (_, index) => {
      const { bytes, hash } = makeXorb(randomChunks(index, 3))
      const checked = await checker.check(await draft(bytes), index % 2 === 0 ? hash : other)
      return isFlaw(checked) ? 'flaw' : checked.digest === blake3(bytes).toString('hex')
    })
    const expected = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? true : 'flaw'))
    expect(await Promise.all(checks)).toEqual(expected)
  })

  test.each([1, 2])('never on more threads than %i', async (threads) => {
    const checker = checkerOf({ threads, worker: dying })
    const checks = Array.from({ length: 12 }, () => checker.check('named', other))
    const names = (await Promise.all(checks)).map((each) => (isFlaw(each) ? each.flaw : ''))
    expect(new Set(names).size).toBeLessThanOrEqual(threads)
  })

  test('a process may end with idle threads, and does not end before its checks', async () => {
    const file = await draft(xorb.bytes)
    const module = new URL('../../src/checking/xorb-checker.ts', import.meta.url)
    const script = `
      import { xorbChecker } from '${module.href}'
      const { digest } = await xorbChecker({ threads: 1 }).check(process.argv[1], process.argv[2])
      console.log(digest)
    `
    const run = promisify(execFile)
    const command = ['--input-type=module', '--eval', script, file, xorb.hash]
    const { stdout } = await run(process.execPath, command, { timeout: 100_000 })
    expect(stdout.trim()).toBe(blake3(xorb.bytes).toString('hex'))
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
