/** A request that was permitted before is answered as if it were decided again. */

import {
  type HubTokenGrant,
  type HubTokenKind,
  isRefusal,
  parseTokenPath,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { parseClaims } from '@latchkey/token'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FoundRepository } from '../../src/access/access-store.ts'
import type { CallerRecord } from '../../src/identity/caller.ts'
import { readSent } from '../../src/identity/read-credential.ts'
import type { Outcome } from '../../src/issue/authenticate.ts'
import { type KnownDeps, keyOf, tokens } from '../../src/issue/with-known.ts'
import type { MintedToken } from '../../src/minting/mint-token.ts'
import {
  branch,
  commit,
  type FakeStore,
  fakeStore,
  nextTurn,
  now,
  record,
  repository,
  versionOf,
} from '../access/fake-store.ts'
import { issuingOver, newBearer } from './issuing-over.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 2000 : 60
const bearers = [newBearer(), newBearer()] as const
const targets = [
  '/api/models/acme/bert/storage-read-token/main',
  '/api/models/acme/bert/storage-write-token/main',
  `/api/models/acme/bert/storage-read-token/${commit}`,
  '/api/models/acme/other/storage-read-token/main',
] as const

interface Asked {
  readonly bearer: string
  readonly target: string
  readonly at: UnixSeconds
}

const question: Asked = { bearer: bearers[0], target: targets[0], at: now }

function namesOf({ bearer, target }: Asked) {
  const sent = readSent([bearer])
  return { sent, key: keyOf(sent.hash ?? '', target) }
}

function answerKnown(asked: Asked, issuing: KnownDeps) {
  return tokens.issueKnown(namesOf(asked).key ?? '', asked.at, issuing)?.minted
}

function answerAnew(asked: Asked, issuing: KnownDeps): Promise<Outcome<MintedToken>> {
  const { target, at } = asked
  const path = parseTokenPath(target)
  if (path === undefined) throw new Error(`no token path: ${target}`)
  const request = { path, address: () => '', now: at, ...namesOf(asked) }
  return tokens.issueAnew(request, issuing)
}

/** As the hub does it. */
async function answer(asked: Asked, issuing: KnownDeps): Promise<Outcome<MintedToken>['result']> {
  return answerKnown(asked, issuing) ?? (await answerAnew(asked, issuing)).result
}

/** Of a token everything but its id and its signature. */
function said(result: Outcome<MintedToken>['result']): unknown {
  if (isRefusal(result)) return result
  const [, payload = ''] = result.accessToken.reveal().split('.')
  const { jti, ...claims } = parseClaims(Buffer.from(payload, 'base64url').toString()) ?? {}
  return { claims, exp: result.exp, casUrl: result.casUrl }
}

function storeOf(isExact: boolean): FakeStore {
  return Object.assign(fakeStore(), { isExact })
}

const arbitraryCaller: fc.Arbitrary<CallerRecord | undefined> = fc.option(
  fc
    .record({
      kind: fc.constantFrom<HubTokenKind[]>('read', 'write', 'write', 'fine-grained', 'admin'),
      grants: fc.subarray<HubTokenGrant>([{ on: 'models/acme/bert', contents: 'read' }]),
      accountDisabled: fc.constantFrom(false, false, false, true),
      expiresAt: fc.nat({ max: 20 }).map((seconds) => unixSeconds(now + seconds)),
    })
    .map((change) => ({ ...record, ...change })),
  { nil: undefined, freq: 6 },
)

const arbitraryRepository: fc.Arbitrary<FoundRepository> = fc.oneof(
  fc.constantFrom<FoundRepository[]>('hidden', 'absent'),
  fc
    .record({
      epoch: fc.nat({ max: 3 }),
      memberRole: fc.constantFrom('read', 'write', null),
      visibility: fc.constantFrom('public', 'private'),
      moving: fc.option(fc.constant(branch), { nil: undefined }),
    })
    .map((change) => ({ ...repository, ...change })),
)

const arbitraryAct = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      act: fc.constant('ask' as const),
      bearer: fc.constantFrom(bearers[0], ...bearers),
      target: fc.constantFrom(targets[0], targets[0], ...targets),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('change' as const),
      caller: arbitraryCaller,
      repository: arbitraryRepository,
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('pass' as const), seconds: fc.nat(3) }) },
)

describe.each([
  ['exact', true],
  ['bounded', false],
])('where caches are %s', (_, isExact) => {
  let again = 0

  test('an answer is the same with and without what is known, whatever happens between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryAct, { minLength: 8, maxLength: 40 }), async (acts) => {
        const store = storeOf(isExact)
        const [issuing, plain] = [issuingOver(store, 30), issuingOver(store, 30)]
        store.answers.caller = { ...record, expiresAt: unixSeconds(now + 5) }
        let [at, number] = [now, 1]
        for (const one of acts) {
          await nextTurn()
          if (one.act === 'change') {
            const { caller, repository: found } = one
            number += 1
            store.answers = {
              version: versionOf(number),
              repository: found,
              ...(caller && { caller }),
            }
          } else if (one.act === 'pass') at = unixSeconds(at + one.seconds)
          else {
            const asked = { ...one, at }
            const expected = said((await answerAnew(asked, plain)).result)
            const known = answerKnown(asked, issuing)
            if (known !== undefined) again += 1
            expect(said(known ?? (await answerAnew(asked, issuing)).result)).toEqual(expected)
          }
        }
      }),
      { numRuns: runs },
    )
    expect(again, 'answers by what is known').toBeGreaterThan(runs / 2)
  })
})

async function learned(store = fakeStore(), requestsPerMinute = 0) {
  const issuing = issuingOver(store, requestsPerMinute)
  await answer(question, issuing)
  await answer(question, issuing)
  return { store, issuing }
}

describe('a request is known', () => {
  test('from its second time on, until the directory changes', async () => {
    const { store, issuing } = await learned()
    expect(answerKnown(question, issuing)).toBeDefined()
    store.answers = { ...store.answers, version: versionOf(2) }
    await nextTurn()
    expect(answerKnown(question, issuing)).toBeUndefined()
  })

  test('for its own hub token and its own target alone', async () => {
    const { issuing } = await learned()
    expect(answerKnown({ ...question, bearer: bearers[1] }, issuing)).toBeUndefined()
    expect(answerKnown({ ...question, target: targets[1] }, issuing)).toBeUndefined()
  })

  test('not under an answer that was asked for before a change and came after it', async () => {
    const { store, issuing } = await learned()
    store.answers = { ...store.answers, version: versionOf(2) }
    await nextTurn()
    await answer(question, issuing)
    await nextTurn()
    const keys = Promise.withResolvers<void>()
    const waiting = answerAnew(question, { ...issuing, followKeys: () => keys.promise })
    await nextTurn()
    store.answers = { version: versionOf(3), repository: 'absent' }
    await nextTurn()
    expect(answerKnown(question, issuing)).toBeUndefined()
    keys.resolve()
    expect(isRefusal((await waiting).result)).toBe(false)
    expect(answerKnown(question, issuing)).toBeUndefined()
  })

  test('never by a refusal', async () => {
    const store = fakeStore()
    store.answers = { ...store.answers, repository: 'hidden' }
    const { issuing } = await learned(store)
    expect(answerKnown(question, issuing)).toBeUndefined()
  })
})

describe('a known request is decided anew, and nothing is counted', () => {
  test.each<readonly [string, Partial<KnownDeps>]>([
    ['while what is known may be too old to sign', { isFresh: () => false }],
    ['while keys are read', { followKeys: () => Promise.resolve() }],
    ['where no key may sign', { canSign: () => false }],
  ])('%s', async (_, change) => {
    const { issuing } = await learned()
    const counted: string[] = []
    const limits = { ...issuing.limits, forHubToken: (id: string) => void counted.push(id) }
    expect(answerKnown(question, { ...issuing, ...change, limits })).toBeUndefined()
    expect(counted).toEqual([])
    expect(answerKnown(question, { ...issuing, limits })).toBeDefined()
    expect(counted).toEqual(['hub-token'])
  })

  test('when its hub token has expired', async () => {
    const store = fakeStore()
    store.answers.caller = { ...record, expiresAt: unixSeconds(now + 1) }
    const { issuing } = await learned(store)
    expect(answerKnown(question, issuing)).toBeDefined()
    expect(answerKnown({ ...question, at: unixSeconds(now + 1) }, issuing)).toBeUndefined()
  })

  test('while the store cannot tell its version', async () => {
    const { store, issuing } = await learned()
    await nextTurn()
    store.isAway = true
    expect(answerKnown(question, issuing)).toBeUndefined()
  })

  test('when its hub token has asked too often', async () => {
    const { issuing } = await learned(fakeStore(), 3)
    expect(answerKnown(question, issuing)).toBeDefined()
    expect(answerKnown(question, issuing)).toBeUndefined()
    expect((await answerAnew(question, issuing)).result).toMatchObject({ code: 'rate_limited' })
  })
})

test('two headers, none and another scheme have no hash', () => {
  const [one] = bearers
  for (const headers of [[], [one, one], ['Basic x'], ['Bearer  x']]) {
    expect(readSent(headers).hash).toBeUndefined()
  }
})

test('a target with a query is not remembered, so that one hub token cannot push out the others', () => {
  expect(keyOf('hash', targets[0])).toBeDefined()
  expect(keyOf('hash', `${targets[0]}?1`)).toBeUndefined()
})
