/** A download to a place where chunks are put at their positions, broken off and gone on with at any chunk. */

import { rounds } from '@latchkey/testing/chance'
import { randomBytes, wordyBytes } from '@latchkey/testing/xet/making'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prepareDownload } from '../../src/download/download-file.ts'
import type { DownloadTarget, EarlierChunk } from '../../src/download/resume-run.ts'
import { HashMismatchError } from '../../src/format/format-error.ts'
import type { Hash } from '../../src/format/hash.ts'
import { type MemoryStorage, memoryStorage } from '../memory-storage.ts'
import { uploadOne } from '../moving.ts'

const [one, other] = [randomBytes(1, 700_000), wordyBytes(2, 400_000)]
/** Parts of it come again, in another order. */
const content = Buffer.concat([one, other, one.subarray(100_000), other, one])

/** Keeps what was put as a partial file does, and can be full. */
class Kept {
  readonly data = Buffer.alloc(content.length)
  readonly chunks = new Map<string, EarlierChunk[]>()

  /** Takes so many chunks, and then no more. */
  target(most = Number.POSITIVE_INFINITY): DownloadTarget {
    let taken = 0
    return {
      put: async ({ runName, first, chunks }) => {
        const own = this.chunks.get(runName)?.slice(0, first) ?? []
        expect(own).toHaveLength(first)
        for (const { bytes, positions, hash, packedLength } of chunks) {
          if (taken === most) throw new Error('full')
          taken += 1
          for (const position of positions) this.data.set(bytes, position)
          own.push({ hash, length: bytes.length, packedLength })
          this.chunks.set(runName, own)
        }
      },
      earlier: {
        chunksOf: (runName) => this.chunks.get(runName) ?? [],
        read: async (position, length) => this.data.subarray(position, position + length),
      },
    }
  }

  get packedBytes(): number {
    return [...this.chunks.values()].flat().reduce((sum, { packedLength }) => sum + packedLength, 0)
  }

  /** Makes the record of a chunk of the first run say something else. */
  change(index: number, other: Partial<EarlierChunk>): void {
    const [run] = [...this.chunks.values()]
    const chunk = run?.[index]
    if (chunk === undefined) throw new Error('there is no such chunk')
    run?.splice(index, 1, { ...chunk, ...other })
  }
}

interface Stored {
  readonly storage: MemoryStorage
  readonly hash: Hash
}

/** Uploaded once: downloads change nothing in it. */
let uploaded: Promise<Stored> | undefined

async function upload(): Promise<Stored> {
  const storage = memoryStorage()
  const { hash } = await uploadOne(storage, content)
  return { storage, hash }
}

async function stored(): Promise<Stored & { readonly fetched: () => number }> {
  uploaded ??= upload()
  const { storage, hash } = await uploaded
  let fetched = 0
  storage.spoil = (bytes) => {
    fetched += bytes.length
    return bytes
  }
  return { storage, hash, fetched: () => fetched }
}

const packedBytes = ({ xorbs }: MemoryStorage) =>
  [...xorbs.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)

describe('a file', () => {
  it('is put whole, and bytes that it has several times are fetched once', async () => {
    const { storage, hash, fetched } = await stored()
    const kept = new Kept()
    const { bytes, into } = await prepareDownload(storage, hash)
    const told: number[] = []
    await into(kept.target(), (placed) => told.push(placed))
    expect(kept.data.equals(content)).toBe(true)
    expect([bytes, told.at(-1)]).toEqual([content.length, content.length])
    expect(fetched()).toBe(packedBytes(storage))
  })

  it('tells once that all was put, when it was, and never of a file that breaks off', async () => {
    const { storage, hash } = await stored()
    const { into } = await prepareDownload(storage, hash)
    const kept = new Kept()
    const wasWhole: boolean[] = []
    const allPut = () => void wasWhole.push(kept.data.equals(content))
    await expect(into({ ...kept.target(3), allPut })).rejects.toThrow('full')
    expect(wasWhole).toEqual([])
    await into({ ...kept.target(), allPut })
    expect(wasWhole).toEqual([true])
  })

  it('that is broken off at any chunk goes on from there, and fetches the rest alone', async () => {
    const { storage, hash, fetched } = await stored()
    const breaks = fc.array(fc.nat(40), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(breaks, async (mosts) => {
        const kept = new Kept()
        const { into } = await prepareDownload(storage, hash)
        for (const most of mosts) await into(kept.target(most)).catch(() => {})
        const [before, had] = [fetched(), kept.packedBytes]
        await into(kept.target())
        expect(kept.data.equals(content)).toBe(true)
        expect(fetched() - before).toBe(packedBytes(storage) - had)
      }),
      { numRuns: rounds(8, 100) },
    )
  })
})

describe('what an earlier download has left', () => {
  async function begun() {
    const { storage, hash, fetched } = await stored()
    const kept = new Kept()
    const { into } = await prepareDownload(storage, hash)
    await into(kept.target())
    const before = fetched()
    return { kept, into, refetched: () => fetched() - before }
  }

  it.each([
    ['a byte in its data', (kept: Kept) => kept.data.set([1, 2, 3], 300_000)],
    ['a byte where a chunk comes again', (kept: Kept) => kept.data.set([1, 2, 3], 1_800_000)],
    ['a length', (kept: Kept) => kept.change(3, { length: 1 })],
    ['a length that no chunk has', (kept: Kept) => kept.change(3, { length: 2 ** 31 })],
    ['a hash', (kept: Kept) => kept.change(3, { hash: Buffer.alloc(32) })],
    ['a packed length', (kept: Kept) => kept.change(3, { packedLength: 9_000_000 })],
  ])('is fetched again from where %s is another', async (_, spoil) => {
    const { kept, into, refetched } = await begun()
    spoil(kept)
    await into(kept.target())
    expect(kept.data.equals(content)).toBe(true)
    expect(refetched()).toBeGreaterThan(0)
  })

  it('that is all there is not fetched at all', async () => {
    const { kept, into, refetched } = await begun()
    await into(kept.target())
    expect(refetched()).toBe(0)
  })

  it('that is another file in itself is not taken for this one', async () => {
    const { storage, hash } = await upload()
    const foreign = randomBytes(9, 700_000)
    const { hash: other } = await uploadOne(storage, foreign)
    const { reconstruct } = storage
    storage.reconstruct = () => reconstruct(other)
    const { into } = await prepareDownload(storage, hash)
    await expect(into(new Kept().target())).rejects.toMatchObject({
      message: `the storage sent another file, ${other}, instead of ${hash}`,
    })
    await expect(into(new Kept().target())).rejects.toBeInstanceOf(HashMismatchError)
  })
})
