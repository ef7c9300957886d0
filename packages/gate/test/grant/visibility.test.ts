/** The helper for storages agrees with the shared cases, and closes where a database gives odd values. */

import { readFileSync } from 'node:fs'
import { type Grant, type Row, rowFor, visible } from '@latchkey/gate'
import { describe, expect, test, vi } from 'vitest'

type Reader = Pick<Grant, 'repositoryUid' | 'refUid' | 'asOf' | 'sees'>

interface Document {
  readonly rows: readonly {
    readonly name: string
    readonly grant: Reader
    readonly nowMilliseconds: number
    readonly row: Row
  }[]
  readonly visible: readonly {
    readonly name: string
    readonly grant: Reader
    readonly row: Row
    readonly visible: boolean
  }[]
}

const file = new URL('../../../../vectors/visibility.json', import.meta.url)
const cases: Document = JSON.parse(readFileSync(file, 'utf8'))

describe('a row of new content has the number of the vectors', () => {
  test.each(cases.rows)('$name', ({ grant, nowMilliseconds, row }) => {
    expect(rowFor(grant, nowMilliseconds)).toEqual(row)
  })
})

describe('a grant reads the rows of the vectors that are visible, and no other', () => {
  test.each(cases.visible)('$name', ({ grant, row, visible: isVisible }) => {
    expect(visible(grant, row)).toBe(isVisible)
  })
})

const fork = 1_800_000_000_000
const writer: Reader = { repositoryUid: 'bertuid', refUid: 'mainuid', asOf: fork + 1, sees: [] }
const reader: Reader = { ...writer, refUid: 'devuid', sees: [{ uid: 'mainuid', before: fork }] }

test('content written after a fork stays hidden from the fork, although the clock is slow', () => {
  expect(visible(reader, rowFor(writer, fork - 3_600_000))).toBe(false)
  expect(visible(writer, rowFor(writer, fork - 3_600_000))).toBe(true)
})

test('a row gets the time of the machine if its writer names none', () => {
  vi.useFakeTimers({ now: fork + 12_345 })
  expect(rowFor(writer).writtenAt).toBe(fork + 12_345)
  vi.useRealTimers()
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, 2 ** 53])(
  'a row cannot have the time %d',
  (now) => {
    expect(() => rowFor(writer, now)).toThrow(/whole Unix milliseconds/)
  },
)

test.each([null, undefined, '', '1', false, [], Number.NaN])(
  'an inherited row whose number a database gives as %j stays hidden',
  (writtenAt) => {
    const row = { repositoryUid: 'bertuid', refUid: 'mainuid', writtenAt: writtenAt as number }
    expect(visible(reader, row)).toBe(false)
  },
)
