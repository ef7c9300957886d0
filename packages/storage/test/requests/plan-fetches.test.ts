import { type ChunkTable, chunkTableBuilder, type Hash, type Term } from '@latchkey/xet/format'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Terms } from '../../src/catalog/terms.ts'
import { type FetchPlan, planFetches, touchedBy } from '../../src/reconstructions/plan-fetches.ts'
import type { RequestedRange } from '../../src/request/byte-range.ts'

/** A xorb whose chunk `index` is `lengths[index]` times the byte that names it. */
interface Xorb {
  readonly hash: Hash
  readonly lengths: readonly number[]
}

const xorbs = fc
  .array(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((all) =>
    all.map((lengths, index): Xorb => ({ hash: String(index).repeat(64) as Hash, lengths })),
  )

const files = xorbs.chain((all) =>
  fc
    .array(
      fc.tuple(fc.nat(), fc.nat(), fc.nat()).map(([which, from, length]): Term => {
        const { hash, lengths } = all[which % all.length] ?? { hash: '' as Hash, lengths: [] }
        const start = from % lengths.length
        const end = start + 1 + (length % (lengths.length - start))
        const unpackedBytes = lengths.slice(start, end).reduce((sum, bytes) => sum + bytes, 0)
        return { xorb: hash, start, end, unpackedBytes }
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((terms) => ({ all, terms })),
)

function tableOf({ lengths }: Xorb): ChunkTable {
  const builder = chunkTableBuilder()
  let packed = 0
  for (const length of lengths) {
    packed += length + 8
    builder.add(Buffer.alloc(32), length, packed)
  }
  return builder.build()
}

/** What a client makes of terms: the chunks, as text, one after the other. */
function read(terms: Iterable<Term>, all: readonly Xorb[]): string[] {
  return Array.from(terms).flatMap(({ xorb, start, end }) => {
    const { lengths = [] } = all.find(({ hash }) => hash === xorb) ?? {}
    return lengths
      .slice(start, end)
      .flatMap((length, index) =>
        Array.from({ length }, (_, byte) => `${xorb[0]}:${start + index}:${byte}`),
      )
  })
}

function plan(terms: readonly Term[], all: readonly Xorb[], range: RequestedRange | undefined) {
  const tables = new Map(all.map((xorb) => [xorb.hash, tableOf(xorb)]))
  return planFetches(touchedBy(Terms.of(terms), range, 100), async () => async (hash) => {
    const table = tables.get(hash)
    if (table === undefined) throw new Error(`no xorb ${hash}`)
    return table
  })
}

function coversEveryTerm({ terms, fetches }: FetchPlan): boolean {
  return terms.every(({ xorb, start, end }) =>
    fetches.get(xorb)?.some((run) => run.start <= start && run.end >= end),
  )
}

describe('a plan', () => {
  it('gives exactly the bytes of the range, whatever the range', async () => {
    await fc.assert(
      fc.asyncProperty(
        files,
        fc.nat(60),
        fc.option(fc.nat(60)),
        async ({ all, terms }, from, more) => {
          const whole = read(terms, all)
          const start = from % whole.length
          const end = more === null ? undefined : start + more
          const { plan: made } = await plan(terms, all, { start, end })
          const got = read(made.terms, all).slice(made.offsetIntoFirst)
          const wanted = whole.slice(start, end === undefined ? undefined : end + 1)
          expect(got.slice(0, wanted.length)).toEqual(wanted)
          expect(coversEveryTerm(made)).toBe(true)
        },
      ),
    )
  })

  it('fetches no chunk that has no byte of the range', async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.nat(60), fc.nat(20), async ({ all, terms }, from, more) => {
        const whole = read(terms, all)
        const start = from % whole.length
        const wanted = whole.slice(start, start + more + 1)
        const needed = new Set(wanted.map((byte) => byte.replace(/:\d+$/, '')))
        const { plan: made } = await plan(terms, all, { start, end: start + more })
        const chunks = new Set(read(made.terms, all).map((byte) => byte.replace(/:\d+$/, '')))
        expect(chunks).toEqual(needed)
      }),
    )
  })

  it('asks for every chunk once: the runs of a xorb neither touch nor overlap', async () => {
    await fc.assert(
      fc.asyncProperty(files, async ({ all, terms }) => {
        const { plan: made } = await plan(terms, all, undefined)
        for (const runs of made.fetches.values()) {
          for (const [index, { start }] of runs.entries()) {
            if (index > 0) expect(start).toBeGreaterThan(runs[index - 1]?.end ?? 0)
          }
        }
        expect(made.offsetIntoFirst).toBe(0)
        expect(made.terms).toEqual(terms)
      }),
    )
  })

  it('opens only the xorbs that have bytes of the range', async () => {
    const [one, other] = ['1', '2'].map((digit) => digit.repeat(64) as Hash)
    const terms = [one, other].map((xorb) => ({
      xorb: xorb as Hash,
      start: 0,
      end: 1,
      unpackedBytes: 10,
    }))
    const asked: Hash[] = []
    await planFetches(touchedBy(Terms.of(terms), { start: 0, end: 9 }, 100), async (hashes) => {
      asked.push(...hashes)
      return async () => tableOf({ hash: '' as Hash, lengths: [10] })
    })
    expect(asked).toEqual([one])
  })
})
