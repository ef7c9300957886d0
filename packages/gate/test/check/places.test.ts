/** For which repository and ref a request may pass: by its prefix, by a rule of the storage's own, or as the operator says. */

import { asRefUid, asRepositoryUid, journalNumber } from '@latchkey/protocol'
import { bearer, bert, issuer, keys, main, movedClock } from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import type { OtherOptions, PlaceOptions } from '../../src/check/options.ts'
import type { Location } from '../../src/place/locate.ts'
import { asking, outcome } from './ask.ts'

function gateAt(place: PlaceOptions, other: OtherOptions = {}) {
  return createGate({ keys, issuer, clock: movedClock().now, ...place, ...other })
}

describe('with {repo} and {ref} in casUrl', () => {
  const gate = gateAt({ casUrl: 'https://cas.example/r/{repo}/{ref}' })

  test.each([
    ['another repository', '/r/otheruid/mainuid/x', 'repository_mismatch'],
    ['another ref', '/r/bertuid/otheruid/x', 'ref_mismatch'],
    ['both others', '/r/otheruid/otheruid/x', 'repository_mismatch'],
    ['repository and ref in each other’s place', '/r/mainuid/bertuid/x', 'repository_mismatch'],
    ['the name instead of the uid', '/r/bert/main/x', 'repository_mismatch'],
    ['the uid in other letters', '/r/BERTUID/mainuid/x', 'repository_mismatch'],
    ['the beginning of the uid', '/r/bertui/mainuid/x', 'repository_mismatch'],
    ['more than the uid', '/r/bertuidx/mainuid/x', 'repository_mismatch'],
    ['no ref', '/r/bertuid', 'not_found'],
    ['nothing', '/', 'not_found'],
    ['another fixed segment', '/s/bertuid/mainuid/x', 'not_found'],
    ['the fixed segment in other letters', '/R/bertuid/mainuid/x', 'not_found'],
    ['an epoch of no ref', '/r/bertuid/-1/x', 'ref_mismatch'],
    ['its own', '/r/bertuid/mainuid/x', 'admitted'],
    ['its own and no more', '/r/bertuid/mainuid', 'admitted'],
  ])('a request that names %s: %s', async (_, target, expected) => {
    expect(await outcome(gate, asking(bearer(), { target }))).toBe(expected)
  })

  // conformance: Guarantees / A recreated repository or ref is another one
  // conformance: Authentication / 5. A token is valid for one repository and one ref
  test('a repository made again under the same name is another one', async () => {
    const again = bearer({ repo: { ...bert, uid: asRepositoryUid('bertuid2') } })
    const request = asking(again, { target: '/r/bertuid/mainuid/x' })
    expect(await outcome(gate, request)).toBe('repository_mismatch')
  })

  // conformance: Authentication / 5. A token is valid for one repository and one ref
  test('a ref made again under the same name is another one', async () => {
    const again = bearer({ ref: { ...main, uid: asRefUid('mainuid2') } })
    const request = asking(again, { target: '/r/bertuid/mainuid/x' })
    expect(await outcome(gate, request)).toBe('ref_mismatch')
  })

  test('what the token sees beside its own ref does not open that ref’s address', async () => {
    const sees = [{ uid: asRefUid('devuid'), before: journalNumber(2) }]
    const request = asking(bearer({ sees }), { target: '/r/bertuid/devuid/x' })
    expect(await outcome(gate, request)).toBe('ref_mismatch')
  })

  test.each(['upstream', 'none'] as const)(
    'repositories and refs are compared also under isolation %j',
    async (isolation) => {
      const both = gateAt({ casUrl: 'https://cas.example/r/{repo}/{ref}', isolation })
      const ask = (target: string) => outcome(both, asking(bearer(), { target }))
      expect(await ask('/r/otheruid/mainuid/x')).toBe('repository_mismatch')
      expect(await ask('/r/bertuid/otheruid/x')).toBe('ref_mismatch')
      expect(await ask('/r/bertuid/mainuid/x')).toBe('admitted')
    },
  )
})

describe('with one placeholder and somebody else who isolates', () => {
  const credential = bearer({ aud: 'https://cas.example' })

  test('{repo} is compared and the ref is not', async () => {
    const gate = gateAt({ casUrl: 'https://cas.example/{repo}', isolation: 'upstream' })
    const ask = (target: string) => outcome(gate, asking(credential, { target }))
    expect(await ask('/otheruid/x')).toBe('repository_mismatch')
    expect(await ask('/bertuid/x')).toBe('admitted')
  })

  test('{ref} is compared and the repository is not', async () => {
    const gate = gateAt({ casUrl: 'https://cas.example/{ref}', isolation: 'none' })
    const ask = (target: string) => outcome(gate, asking(credential, { target }))
    expect(await ask('/otheruid/x')).toBe('ref_mismatch')
    expect(await ask('/mainuid/x')).toBe('admitted')
  })
})

describe.each(['upstream', 'none'] as const)('under isolation %j', (isolation) => {
  const credential = bearer({ aud: 'https://cas.example/cas' })

  test.each([
    ['casUrl', { casUrl: 'https://cas.example/cas', isolation }],
    ['audience', { audience: 'https://cas.example/cas', isolation }],
  ])('nothing is compared, the scope is, and the path of the %s is taken off', async (_, place) => {
    const gate = gateAt(place)
    const checked = await gate.check(asking(credential, { target: '/cas/v1/shards' }))
    expect(checked).toMatchObject({ ok: true, path: '/v1/shards', prefix: '/cas' })
    const writing = asking(credential, { method: 'POST', target: '/cas/v1/shards' })
    expect(await outcome(gate, writing)).toBe('insufficient_scope')
    const elsewhere = asking(credential, { target: '/casual/v1/shards' })
    expect(await outcome(gate, elsewhere)).toBe('not_found')
  })
})

describe('with a locate of the storage’s own', () => {
  const audience = 'https://cas.example'
  const credential = bearer({ aud: audience })
  const located = { repositoryUid: bert.uid, refUid: main.uid }

  /** Whatever the storage's own code gives back. */
  function locating(value: unknown) {
    return gateAt({ audience, locate: () => value as Location | undefined })
  }

  test('a request that names nothing is not found, once its token is right', async () => {
    const gate = locating(undefined)
    expect(await outcome(gate, asking(credential))).toBe('not_found')
    expect(await outcome(gate, asking(undefined))).toBe('storage_token_missing')
    expect(await outcome(gate, asking('Bearer x'))).toBe('storage_token_invalid')
  })

  test('another repository or ref is refused', async () => {
    const otherRepository = locating({ ...located, repositoryUid: 'otheruid' })
    expect(await outcome(otherRepository, asking(credential))).toBe('repository_mismatch')
    const otherRef = locating({ ...located, refUid: 'otheruid' })
    expect(await outcome(otherRef, asking(credential))).toBe('ref_mismatch')
    const nameless = locating({ repositoryUid: '', refUid: '' })
    expect(await outcome(nameless, asking(credential))).toBe('repository_mismatch')
  })

  test.each([
    ['nothing about the repository', { refUid: main.uid }],
    ['nothing about the ref', { repositoryUid: bert.uid }],
    ['neither', {}],
    ['null', { repositoryUid: null, refUid: null }],
    ['a promise', Promise.resolve(located)],
  ])('a locate that says %s admits nobody', async (_, value) => {
    expect(await outcome(locating(value), asking(credential))).not.toBe('admitted')
  })

  test.each(['', 'v1/shards', '/v1/', '/v1//shards', '/a/../b', '/%2e%2e', '/a;b', 'http://x/'])(
    'a path that is not normal is not found: %j',
    async (path) => {
      expect(await outcome(locating({ ...located, path }), asking(credential))).toBe('not_found')
    },
  )

  test('its own repository and ref are admitted, at the path of the request', async () => {
    const request = asking(credential, { target: '/bert/main/v1/chunks?x=1' })
    expect(await locating(located).check(request)).toMatchObject({
      ok: true,
      path: '/bert/main/v1/chunks',
      prefix: '',
      query: '?x=1',
    })
  })

  test('the scope is wanted by the path that locate gives', async () => {
    const request = asking(credential, { method: 'POST', target: '/anything' })
    const path = '/v1/shards'
    expect(await outcome(locating({ ...located, path }), request)).toBe('insufficient_scope')
  })

  // conformance: Attacks / 34. An attacker hides a write route behind a prefix
  test('a locate without a path is judged on the whole path of the request', async () => {
    for (const target of ['/a/b/c/d/e/shards', '/bert/main/v1/xorb-grants/default/abc']) {
      const request = asking(credential, { method: 'POST', target })
      expect(await outcome(locating(located), request)).toBe('insufficient_scope')
    }
  })

  // conformance: Attacks / 34. An attacker hides a write route behind a prefix
  test('a path that locate gives does not hide a write route by which the request is routed', async () => {
    const anywhere = gateAt({
      audience,
      locate: ({ path }) => ({ ...located, path: path.replace(/^.*\/bertuid\/mainuid/, '') }),
    })
    const ask = (target: string) => asking(credential, { method: 'POST', target })
    const hidden = ask('/v1/shards/r/bertuid/mainuid/v1/telemetry')
    expect(await outcome(anywhere, hidden)).toBe('insufficient_scope')
    expect(await outcome(locating({ ...located, path: '/' }), ask('/v1/shards'))).toBe(
      'insufficient_scope',
    )
    expect(await outcome(anywhere, ask('/r/bertuid/mainuid/v1/telemetry'))).toBe('admitted')
  })

  // conformance: Attacks / 34. An attacker hides a write route behind a prefix
  test('uids that begin like a write route do not make every POST a write', async () => {
    const repo = { ...bert, uid: asRepositoryUid('xorbuid') }
    const ref = { ...main, uid: asRefUid('sharduid') }
    const uids = { repositoryUid: repo.uid, refUid: ref.uid }
    const uidBearer = bearer({ aud: audience, repo, ref })
    const ask = (target: string) => asking(uidBearer, { method: 'POST', target })
    const gate = locating({ ...uids, path: '/v1/telemetry' })
    expect(await outcome(gate, ask('/r/xorbuid/sharduid-3/v1/telemetry'))).toBe('admitted')
    expect(await outcome(gate, ask('/r/xorbuid2/sharduid/v1/telemetry'))).toBe('insufficient_scope')
  })

  test('it is given the path, query and headers as they were read', async () => {
    const seen: unknown[] = []
    const gate = gateAt({
      audience,
      locate: ({ path, query, headers, authorization }) => {
        seen.push(path, query, headers, authorization)
        return located
      },
    })
    await gate.check(asking(credential, { target: 'https://cas.example/a?b' }))
    expect(seen).toEqual(['/a', '?b', ['Authorization', credential], [credential]])
  })
})
