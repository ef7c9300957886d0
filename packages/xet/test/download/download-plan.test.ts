import { describe, expect, it } from 'vitest'
import { planDownload } from '../../src/download/download-plan.ts'
import { readReconstruction } from '../../src/download/read-reconstruction.ts'

const hash = 'ab'.repeat(32)

type Chunks = readonly [start: number, end: number]

/** Of one xorb: the chunks of the file's terms, and of the runs that the storage names. */
function plan(terms: readonly Chunks[], runs: readonly Chunks[]) {
  const answer = {
    terms: terms.map(([start, end]) => ({ hash, range: { start, end }, unpacked_length: 1 })),
    fetch_info: {
      [hash]: runs.map(([start, end], index) => ({
        ...{ range: { start, end }, url: `run ${index}` },
        url_range: { start: 0, end: 9 * (end - start) - 1 },
      })),
    },
  }
  return planDownload(readReconstruction({ storageUrl: 'https://cas.example', answer }))
}

function urlsOf(terms: readonly Chunks[], runs: readonly Chunks[]) {
  const { terms: planned, runs: fetched } = plan(terms, runs)
  return planned.map(({ runName }) => fetched.find(({ name }) => name === runName)?.run.url)
}

describe('a term is read from a run that has all of its chunks', () => {
  it.each<[string, Chunks[], Chunks[], string[]]>([
    ['in any order', [[4, 6], [0, 2]], [[4, 6], [0, 2]], ['run 0', 'run 1']], // biome-ignore format: a row
    ['of which it is a part', [[3, 4], [9, 10]], [[0, 5], [5, 10]], ['run 0', 'run 1']], // biome-ignore format: a row
    ['also where others begin later', [[2, 9], [3, 4]], [[3, 4], [0, 10]], ['run 1', 'run 1']], // biome-ignore format: a row
    ['also where others reach less far', [[3, 8]], [[0, 5], [2, 8], [3, 4]], ['run 1']], // biome-ignore format: a row
    ['named first, where two have the same', [[0, 2]], [[0, 2], [0, 2]], ['run 0']], // biome-ignore format: a row
  ])('%s', (_, terms, runs, urls) => {
    expect(urlsOf(terms, runs)).toEqual(urls)
  })

  it.each<[string, Chunks[]]>([
    ['there is none', []],
    ['one ends too early', [[0, 4]]],
    ['one begins too late', [[4, 9]]],
    ['two have it together', [[0, 4], [4, 9]]], // biome-ignore format: a row
  ])('or refused, where %s', (_, runs) => {
    expect(() => urlsOf([[3, 5]], runs)).toThrow('the storage names no URL for the chunks 3 to 5')
  })

  it('and a storage that names very many of both does not hold up the page', () => {
    const many = Array.from({ length: 150_000 }, (_, index): Chunks => [index, index + 1])
    const last = many.length - 1
    const began = performance.now()
    expect(
      plan(
        many.map((): Chunks => [last, last + 1]),
        many,
      ).runs,
    ).toHaveLength(1)
    // Looking through all runs for each term takes minutes.
    expect(performance.now() - began).toBeLessThan(30_000)
  })
})
