import { rounds } from '@latchkey/testing/chance'
import { numberBytes, randomBytes, wordyBytes } from '@latchkey/testing/xet/making'
import fc from 'fast-check'
import { compressSync } from 'lz4-napi'
import { describe, expect, it } from 'vitest'
import * as native from '../../src/platform/node/lz4.ts'
import * as portable from '../../src/platform/portable/lz4.ts'

const nothing = new Uint8Array(0)

/** Without the length that the library writes before it. */
function blockOf(bytes: Uint8Array, before?: Uint8Array): Buffer {
  return compressSync(Buffer.from(bytes), before && Buffer.from(before)).subarray(4)
}

type Unpacked = readonly number[] | 'unsound'

function unpacked(
  { unpackBlock }: Pick<typeof native, 'unpackBlock'>,
  ...block: Parameters<typeof native.unpackBlock>
): Unpacked {
  try {
    return [...unpackBlock(...block)]
  } catch {
    return 'unsound'
  }
}

const contents = [
  ['words', wordyBytes('lz4', 100_000)],
  ['numbers', numberBytes(1, 100_000)],
  ['noise', randomBytes('lz4', 100_000)],
  ['one byte again and again', Buffer.alloc(100_000, 7)],
  ['one byte', Buffer.from('x')],
] as const

describe('a block', () => {
  it.each(contents)('of %s is unpacked', (_, bytes) => {
    expect(Buffer.from(portable.unpackBlock(blockOf(bytes), bytes.length, nothing))).toEqual(bytes)
  })

  it('that refers into what comes before it is unpacked', () => {
    const [before, bytes] = [wordyBytes('before', 60_000), wordyBytes('before', 90_000)]
    const block = blockOf(bytes, before)
    expect(block.length).toBeLessThan(blockOf(bytes).length / 2)
    expect(Buffer.from(portable.unpackBlock(block, bytes.length, before))).toEqual(bytes)
    expect(unpacked(portable, block, bytes.length, nothing)).toBe('unsound')
  })

  it('that has more bytes than there is room for is unsound', () => {
    for (const [, bytes] of contents) {
      expect(unpacked(portable, blockOf(bytes), bytes.length - 1, nothing)).toBe('unsound')
    }
  })

  it('that is cut off, or is none, is unsound', () => {
    const block = blockOf(wordyBytes('cut', 300))
    for (let length = 0; length < block.length; length += 1) {
      const cut = unpacked(portable, block.subarray(0, length), 300, nothing)
      expect(cut === 'unsound' || cut.length < 300).toBe(true)
    }
    expect(unpacked(portable, Uint8Array.of(0xf0), 300, nothing)).toBe('unsound')
  })

  it('with any byte changed is read as the native code reads it, or by neither beyond its room', () => {
    const block = blockOf(wordyBytes('changed', 2000))
    const change = fc.record({ at: fc.nat({ max: block.length - 1 }), to: fc.nat({ max: 255 }) })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const changed = Buffer.from(block)
        for (const { at, to } of changes) changed[at] = to
        const [ours, theirs] = [portable, native].map((each) =>
          unpacked(each, changed, 2000, nothing),
        )
        expect(ours === 'unsound' || (ours?.length ?? 0) <= 2000).toBe(true)
        if (ours !== 'unsound' && theirs !== 'unsound') expect(ours).toEqual(theirs)
      }),
      { numRuns: rounds(500, 20_000) },
    )
  })
})

it('nothing is packed, and whoever asks for it is told', () => {
  expect(portable.canPack).toBe(false)
  expect(() => portable.packFrame(nothing)).toThrow(/Node alone/)
})
