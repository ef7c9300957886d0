/** Answers of a hub, whatever they hold: read as described, or a failure; never anything between. */

import { asRefUid, isJournalNumber, journalNumber } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HubAnswer } from '../../src/hub-link/failed-question.ts'
import { readChanges, readRaisedCount, readUnknown } from '../../src/hub-link/http-hub-link.ts'
import { HubLinkError } from '../../src/hub-link/hub-link.ts'
import { readQuotas } from '../../src/hub-link/read-quotas.ts'

const numRuns = rounds(2000, 50_000)
const path = '/link/v1/changes'
const answer = (value: unknown, status = 200): HubAnswer => ({ path, status, value })
const after = journalNumber(100)
const asked = ['a', 'b', 'c'].map((uid) => asRefUid(uid))

/** Right most of the time, so that many answers are wrong in one member alone. */
function mostly<Value>(...right: readonly Value[]): fc.Arbitrary<unknown> {
  const near = fc.constantFrom<unknown>(99, -1, 1.5, 2 ** 53, '101', ['', 'a'], ['x'], [1], null)
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...right) },
    { weight: 1, arbitrary: fc.oneof(near, fc.jsonValue()) },
  )
}
const described = fc.record(
  {
    number: mostly(100, 101),
    removed: mostly([], ['a'], ['b', 'a']),
    complete: mostly(true, false),
    raised: mostly(0, 3),
    unknown: mostly([], ['a'], ['c', 'a']),
  },
  { requiredKeys: ['number', 'removed', 'complete'] },
)
const document = fc.oneof(
  { weight: 4, arbitrary: described },
  { weight: 1, arbitrary: fc.jsonValue() },
)
const code = fc.constantFrom('cursor_unknown', 'not_found', undefined)
const anyAnswer = fc
  .tuple(document, fc.constantFrom(200, 410, 404, 500), code)
  .map(([value, status, code]) =>
    answer(typeof value === 'object' && code !== undefined ? { ...value, code } : value, status),
  )

function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    expect(error).toBeInstanceOf(HubLinkError)
    return undefined
  }
}

describe('any JSON', () => {
  test('is changes as described, an unknown cursor, or a failure', () => {
    const kinds = new Map<string, number>()
    fc.assert(
      fc.property(anyAnswer, fc.constantFrom(after, undefined), (given, from) => {
        const read = attempt(() => readChanges(given, from))
        kinds.set(read?.kind ?? 'failure', (kinds.get(read?.kind ?? 'failure') ?? 0) + 1)
        if (read === undefined) return
        expect(isJournalNumber(read.number)).toBe(true)
        if (read.kind === 'unknown cursor') {
          expect([given.status, from]).toEqual([410, after])
          return
        }
        expect(given.status).toBe(200)
        expect(read.removed.every((uid) => typeof uid === 'string' && uid !== '')).toBe(true)
        if (from !== undefined) expect(read.number).toBeGreaterThanOrEqual(from)
        if (read.number === from) expect([read.removed, read.isComplete]).toEqual([[], true])
      }),
      { numRuns },
    )
    expect([...kinds.keys()].toSorted()).toEqual(['changes', 'failure', 'unknown cursor'])
  })

  test('is a list of uids that were asked for, or a failure', () => {
    let read = 0
    fc.assert(
      fc.property(anyAnswer, (given) => {
        const unknown = attempt(() => readUnknown(given, asked))
        if (unknown === undefined) return
        read += 1
        expect(asked).toEqual(expect.arrayContaining([...unknown]))
      }),
      { numRuns },
    )
    expect(read).toBeGreaterThan(0)
  })

  test('is a count of those that were asked for, or a failure', () => {
    let read = 0
    fc.assert(
      fc.property(anyAnswer, (given) => {
        const raised = attempt(() => readRaisedCount(given, 100))
        if (raised === undefined) return
        read += 1
        expect(raised).toBe(Object(given.value).raised)
        expect(raised).toBeLessThanOrEqual(100)
      }),
      { numRuns },
    )
    expect(read).toBeGreaterThan(0)
  })
})

test('an answer without news is read', () => {
  const nothing = { removed: [], isComplete: true }
  const told = (number: number) => answer({ number, removed: [], complete: true })
  expect(readChanges(told(100), after)).toEqual({ kind: 'changes', number: 100, ...nothing })
  expect(readChanges(told(0), undefined)).toEqual({ kind: 'changes', number: 0, ...nothing })
  expect(readRaisedCount(answer({ raised: 0 }), 3)).toBe(0)
  expect(readUnknown(answer({ unknown: [] }), asked)).toEqual([])
})

describe('an answer is refused', () => {
  test.each([204, 400, 410, 500])('with status %i, whatever it holds', (status) => {
    const value = { number: 101, removed: [], complete: true, raised: 1, unknown: [] }
    expect(() => readChanges(answer(value, status), after)).toThrow(HubLinkError)
    expect(() => readRaisedCount(answer(value, status), 3)).toThrow(HubLinkError)
    expect(() => readUnknown(answer(value, status), asked)).toThrow(HubLinkError)
  })

  const good = { number: 101, removed: ['a'], complete: true }

  test.each([
    ['without a number', { ...good, number: undefined }],
    ['with a number below the question’s', { ...good, number: 99 }],
    ['with removals between a number and itself', { ...good, number: 100 }],
    ['that is incomplete and goes no further', { number: 100, removed: [], complete: false }],
    ['with an empty uid', { ...good, removed: ['a', ''] }],
    ['with a uid that is no text', { ...good, removed: [7] }],
    ['without a list', { ...good, removed: 'a' }],
    ['that does not say whether it is complete', { ...good, complete: 'yes' }],
  ])('%s', (_, value) => {
    expect(readChanges(answer(good), after).number).toBe(101)
    expect(() => readChanges(answer(value), after)).toThrow(HubLinkError)
  })

  test('with an unknown cursor that names no number, or where none was asked for', () => {
    const unknown = { code: 'cursor_unknown', number: 7 }
    expect(readChanges(answer(unknown, 410), after)).toEqual({ kind: 'unknown cursor', number: 7 })
    const nameless = answer({ ...unknown, number: undefined }, 410)
    expect(() => readChanges(nameless, after)).toThrow(HubLinkError)
    expect(() => readChanges(answer(unknown, 410), undefined)).toThrow(HubLinkError)
    expect(() => readChanges(answer({ number: 7 }, 410), after)).toThrow(HubLinkError)
  })

  test.each([-1, 4, 1.5, '1', null, undefined])('with a count of %j raised of 3', (raised) => {
    readRaisedCount(answer({ raised: 3 }), 3)
    expect(() => readRaisedCount(answer({ raised }), 3)).toThrow(HubLinkError)
  })

  test('with an unknown uid that was not asked for', () => {
    expect(readUnknown(answer({ unknown: ['b'] }), asked)).toEqual(['b'])
    expect(() => readUnknown(answer({ unknown: ['b', 'x'] }), asked)).toThrow(HubLinkError)
  })
})

test('more removals than any hub of ours puts into one answer are no answer', () => {
  const removed = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`)
  const read = (count: number) =>
    readChanges(answer({ number: 101, removed: removed(count), complete: true }), after)
  expect(read(1000)).toMatchObject({ kind: 'changes' })
  expect(() => read(1001)).toThrow(HubLinkError)
})

describe('quotas', () => {
  const state = { repository: 'a', namespace: 'n', bytes: 5 }
  const page = { number: 100, repositories: [state], namespaces: [{ namespace: 'n', bytes: null }] }

  test.each([
    ['no list', { repositories: {} }],
    ['a repository without a namespace', { repositories: [{ repository: 'a', bytes: 5 }] }],
    ['no bytes', { repositories: [{ repository: 'a', namespace: 'n' }] }],
    ['zero bytes', { namespaces: [{ namespace: 'n', bytes: 0 }] }],
    ['half a byte', { namespaces: [{ namespace: 'n', bytes: 0.5 }] }],
    ['no number', { number: -1 }],
    ['a page that leads back', { next: 'a' }],
    ['more than a page', { repositories: Array(1001).fill(state) }],
  ])('with %s are a failure, in a page and among changes', (_, change) => {
    const quotas = { ...page, ...change }
    expect(() => readQuotas(answer(quotas), 'b')).toThrow(HubLinkError)
    if ('next' in change) return
    const changes = { number: 101, removed: [], complete: true, quotas }
    expect(() => readChanges(answer(changes), after)).toThrow(HubLinkError)
  })

  test('are read as the hub has sent them', () => {
    expect(readQuotas(answer({ ...page, next: 'c' }), 'b')).toEqual({ ...page, next: 'c' })
    expect(readQuotas(answer(page), undefined)).toEqual(page)
    expect(() => readQuotas(answer(page, 500), undefined)).toThrow(HubLinkError)
  })
})
