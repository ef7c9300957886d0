import { expect, it } from 'vitest'
import { hashAt } from '../../src/format/hash.ts'
import { type KnownXorb, knownChunks } from '../../src/upload/known-chunks.ts'

const [one, two, three] = [1, 2, 3].map((byte) => hashAt(Buffer.alloc(32, byte)))
if (one === undefined || two === undefined || three === undefined) throw new Error('no hashes')

function xorbWith(...chunks: KnownXorb['chunks']): KnownXorb {
  return { name: undefined, chunks }
}

it('a chunk that comes again is where it was first', () => {
  const known = knownChunks(5)
  const [first, second] = [xorbWith(one, two), xorbWith(two)]
  known.learn({ xorb: first, index: 1 })
  known.learn({ xorb: second, index: 0 })
  expect(known.find(two)).toEqual({ xorb: first, index: 1 })
})

it('the xorb that was learnt of first is forgotten when there are too many chunks', () => {
  const known = knownChunks(2)
  const xorbs = [one, two, three].map((chunk) => ({ name: chunk, chunks: [chunk] }))
  for (const xorb of xorbs) known.learn({ xorb, index: 0 })
  expect([one, two, three].map((chunk) => known.find(chunk) !== undefined)).toEqual([
    false,
    true,
    true,
  ])
  // Terms may refer to it for long: what it held is let go.
  expect(xorbs.map(({ chunks }) => chunks.length)).toEqual([0, 1, 1])
})

it('a xorb that is being filled is not forgotten, however old it is', () => {
  const known = knownChunks(2)
  const filled = xorbWith(one)
  known.learn({ xorb: filled, index: 0 })
  for (const chunk of [two, three])
    known.learn({ xorb: { name: chunk, chunks: [chunk] }, index: 0 })
  expect([one, two, three].map((chunk) => known.find(chunk) !== undefined)).toEqual([
    true,
    false,
    true,
  ])
})
