import { expect, it } from 'vitest'
import { progressBar } from '../src/transfer/progress-bar.ts'

const erase = '\r\u001b[K'

function barOn(columns = 80) {
  const written: string[] = []
  const screen = { columns, write: (text: string) => written.push(text) }
  let now = 5000
  const bar = progressBar(screen, () => now)
  const after = (ms: number, bytes: number, total?: number) => {
    now += ms
    bar.watch.onDownloadProgress(bytes, total)
  }
  const last = () => written.at(-1)?.replace(erase, '')
  return { bar, written, after, last }
}

it('nothing is drawn within the first second, or erased afterwards', () => {
  const { bar, written, after } = barOn()
  after(0, 0, 100)
  after(999, 99, 100)
  bar.end()
  expect(written).toEqual([])
})

it('the line is drawn over itself ten times a second at most, and erased in the end', () => {
  const { bar, written, after } = barOn()
  after(0, 0, 100)
  for (let time = 0; time < 2000; time += 10) after(10, 50, 100)
  expect(written.length).toBeGreaterThan(5)
  expect(written.length).toBeLessThanOrEqual(11)
  expect(written.every((text) => text.startsWith(erase) && !text.includes('\n'))).toBe(true)
  bar.end()
  bar.end()
  after(1000, 60, 100)
  expect(written.slice(-2)).toEqual([written.at(-2), erase])
  expect(written.at(-2)).not.toBe(erase)
})

it('it says how much of how much there is, how fast it comes, and how long it will take', () => {
  const { after, last } = barOn()
  after(0, 0, 4_000_000)
  after(2000, 1_000_000, 4_000_000)
  expect(last()).toBe(
    '[######..................] 25%, 1.0 MB of 4.0 MB received, 500.0 kB/s, 6 s left',
  )
  after(2000, 4_000_000, 4_000_000)
  expect(last()).toBe(`[${'#'.repeat(30)}] 100%, 4.0 MB of 4.0 MB received, 1.0 MB/s`)
})

it('it speaks of the last seconds: what was fast long ago counts no more', () => {
  const { after, last } = barOn(200)
  after(0, 0, 1_000_000)
  after(1000, 900_000, 1_000_000)
  for (let bytes = 901_000; bytes <= 910_000; bytes += 1000) after(1000, bytes, 1_000_000)
  expect(last()).toMatch(/, 1\.0 kB\/s, 2 min left$/)
})

it.each([
  [59, '59 s'],
  [60, '1 min'],
  [61, '2 min'],
  [3600, '1 h 0 min'],
  [9000, '2 h 30 min'],
])('it tells %i seconds as people do: %s', (seconds, words) => {
  const { after, last } = barOn(200)
  after(0, 0, seconds + 1)
  after(1000, 1, seconds + 1)
  expect(last()).toMatch(new RegExp(`, 1 B/s, ${words} left$`))
})

it('while nothing moves it does not guess, and a second try begins anew', () => {
  const { after, last } = barOn(200)
  after(0, 500, 1000)
  after(6000, 500, 1000)
  expect(last()).toMatch(/, 0 B\/s$/)
  after(1000, 0, 1000)
  after(1000, 100, 1000)
  expect(last()).toMatch(/, 100 B\/s, 9 s left$/)
})

it('without a known end it says how much there is', () => {
  const { after, last } = barOn()
  after(0, 0)
  after(1000, 999)
  expect(last()).toBe('999 B received, 999 B/s')
})

it.each([1, 10, 20, 40, 60, 80, 200])('it fits %i columns', (columns) => {
  const { after, last } = barOn(columns)
  after(0, 0, 9e12)
  after(1500, 8e12, 9e12)
  expect(last()?.length).toBeLessThan(Math.max(columns, 1))
  after(1500, 8e12)
  expect(last()?.length).toBeLessThan(Math.max(columns, 1))
})

it('more than was announced is no more than all', () => {
  const { after, last } = barOn()
  after(0, 0, 10)
  after(1000, 20, 10)
  expect(last()).toContain(' 100%, 20 B of 10 B received')
})

it('rows of a database are counted as rows', () => {
  const written: string[] = []
  let now = 0
  const bar = progressBar({ columns: 100, write: (text: string) => written.push(text) }, () => now)
  for (const rows of [0, 1000, 2000]) {
    now += 1000
    bar.watch.onRowsCopied(rows, 10_000)
  }
  expect(written.at(-1)).toMatch(/ 20%, 2000 of 10000 rows copied, 1000\/s, 8 s left$/)
  now += 1000
  bar.watch.onRowsCompared(0, 10_000)
  now += 1000
  bar.watch.onRowsCompared(5000, 10_000)
  expect(written.at(-1)).toMatch(/ 50%, 5000 of 10000 rows compared, /)
})
