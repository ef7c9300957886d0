/** The shared lists, heads and histories, each judged as the vectors say. */

import { readFileSync } from 'node:fs'
import { unixSeconds } from '@latchkey/protocol'
import { movedClock, startOfTime } from '@latchkey/testing/gate/storage-tokens'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import {
  type InvalidToken,
  isRevokedBy,
  type Jwks,
  listHash,
  readKeySet,
  readRevocationList,
  verifyToken,
} from '@latchkey/token'
import { describe, expect, test } from 'vitest'
import { grantOf } from '../../src/grant/grant.ts'
import { hubRevocations } from '../../src/revocations/hub-revocations.ts'

interface ListCase {
  readonly name: string
  readonly bytes: string
  readonly hash: string
  readonly entries?: readonly { readonly hash: string; readonly number: number }[]
}

interface Step {
  readonly wait?: number
  readonly set?: number
  readonly keys?: readonly string[]
  readonly head?: string | null
  readonly holds: { readonly state: 'none' | 'good' | 'over'; readonly list?: string }
}

interface Document {
  readonly issuer: string
  readonly now: number
  readonly leewaySeconds: number
  readonly publishedKeys: Readonly<Record<string, Jwks['keys'][number]>>
  readonly keysOfTokens: Jwks
  readonly token: string
  readonly tokenKid: string
  readonly lists: readonly ListCase[]
  readonly heads: readonly { name: string; head: string; accepted: boolean }[]
  readonly histories: readonly { name: string; steps: readonly Step[] }[]
  readonly deaths: readonly { list: string; dead: boolean }[]
}

const file = new URL('../../../../vectors/revocations.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Document
const named = new Map(vectors.lists.map((list) => [list.name, list]))
const bytesOf = ({ bytes }: ListCase) => Buffer.from(bytes, 'base64')

/** A verifier of these vectors, and what the hub answers it with. */
function verifier() {
  const [clock, stopwatch] = [movedClock(), movedStopwatch()]
  const wire = { head: null as string | null, keys: Object.keys(vectors.publishedKeys) }
  const source = hubRevocations({
    documents: {
      async head() {
        if (wire.head === null) throw new Error('no answer')
        return wire.head
      },
      keys: () => readKeySet({ keys: wire.keys.map((name) => vectors.publishedKeys[name]) }),
      async list(hash) {
        const list = vectors.lists.find((one) => one.hash === hash)
        if (list === undefined) throw new Error('no such list')
        return bytesOf(list)
      },
    },
    issuer: vectors.issuer,
    clock: () => unixSeconds(clock.now() - startOfTime + vectors.now),
    stopwatch: stopwatch.now,
    leewaySeconds: vectors.leewaySeconds,
  })
  return { clock, stopwatch, wire, source }
}

describe('a list', () => {
  test.each(vectors.lists)('$name', (list) => {
    const bytes = bytesOf(list)
    expect(listHash(bytes)).toBe(list.hash)
    const read = readRevocationList(bytes)
    expect(read && new Map(read)).toEqual(
      list.entries && new Map(list.entries.map(({ hash, number }) => [hash, number])),
    )
  })
})

describe('a head', () => {
  test.each(vectors.heads)('$name', async ({ head, accepted }) => {
    const { wire, source } = verifier()
    wire.head = head
    await source.refresh()
    expect(source.latest() !== undefined).toBe(accepted)
    if (accepted) expect(source.latest()?.state()).toBe('current')
  })
})

describe('one answer after the other', () => {
  test.each(vectors.histories)('$name', async ({ steps }) => {
    const { clock, stopwatch, wire, source } = verifier()
    for (const { wait = 0, set = 0, keys = wire.keys, head, holds } of steps) {
      clock.pass(wait + set)
      stopwatch.pass(wait)
      wire.keys = [...keys]
      if (head !== undefined) {
        wire.head = head
        await source.refresh()
      }
      const state = source.latest()?.state() ?? 'none'
      expect(state === 'current' || state === 'late' ? 'good' : state).toBe(holds.state)
      const entries = named.get(holds.list ?? '')?.entries
      expect(source.latest()?.list.size).toBe(entries?.length)
      for (const { hash } of entries ?? []) expect(source.latest()?.list.has(hash)).toBe(true)
    }
  })
})

describe('the token of the vectors', () => {
  const accept = async () => {
    const keys = await readKeySet(vectors.keysOfTokens)
    const expected = { keys, issuer: vectors.issuer, audience: 'https://cas.example/r' }
    return verifyToken(vectors.token, { ...expected, now: unixSeconds(vectors.now) })
  }

  test.each(vectors.deaths)('dead: $dead, when $list', async ({ list, dead }) => {
    const verified = await accept()
    if (!verified.ok) throw new Error(verified.reason satisfies InvalidToken)
    expect(verified.kid).toBe(vectors.tokenKid)
    const read = readRevocationList(Buffer.from(named.get(list)?.bytes ?? 'x', 'base64'))
    expect(isRevokedBy(grantOf(verified.claims, verified.kid), read ?? new Map())).toBe(dead)
  })
})

test('the vectors have heads and histories of both kinds, each under its own name', () => {
  for (const cases of [vectors.lists, vectors.heads, vectors.histories]) {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
  }
  expect(new Set(vectors.heads.map(({ accepted }) => accepted)).size).toBe(2)
  expect(new Set(vectors.deaths.map(({ dead }) => dead)).size).toBe(2)
})
