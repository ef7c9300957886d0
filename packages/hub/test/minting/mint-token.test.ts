/** What a storage token says, and how long it lives. */

import {
  asAccountId,
  asHubTokenId,
  asRepositoryUid,
  defaultStorage,
  isRefusal,
  journalNumber,
  parseRevision,
  type RefName,
  storageAddress,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { idsFrom, pooledRandom } from '@latchkey/service/machine/random'
import { readKeySet, verifyToken } from '@latchkey/token'
import { generateSigningKey, jwksOf } from '@latchkey/token/signing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anonymous, type Caller } from '../../src/identity/caller.ts'
import { type Mint, PreparedToken } from '../../src/minting/mint-token.ts'
import type { RefFacts, RepositoryFacts } from '../../src/permission/access-facts.ts'
import { decidePermission } from '../../src/permission/decide-permission.ts'
import type { Permit } from '../../src/permission/permit.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 2000 : 100
const now = unixSeconds(1_800_000_000)
const asOf = journalNumber(1_800_000_000_007)
const signingKey = await generateSigningKey('ES256')
const keys = await readKeySet(jwksOf([signingKey]))
const hash = '1'.repeat(40)

const storage = storageAddress('https://cas.example/r/{repo}/{ref}')

const mint: Mint = {
  issuer: 'https://hub.example',
  storages: new Map([[defaultStorage, storage]]),
  lifetimeSeconds: 900,
  signingKey: () => signingKey,
  newTokenId: idsFrom(pooledRandom()),
}

const caller: Caller = {
  accountId: asAccountId('account'),
  accountName: 'someone',
  administrator: false,
  hubTokenId: asHubTokenId('hub-token'),
  kind: 'write',
  grants: [],
}

const repository = {
  uid: asRepositoryUid('repository'),
  epoch: 0,
  storage: defaultStorage,
  visibility: 'public',
  defaultBranch: 'refs/heads/main' as RefName,
  role: 'write',
  refRules: [],
  ref: {
    name: 'refs/tags/v1',
    uid: 'tag',
    commit: hash,
    ancestry: [],
    holders: [{ name: 'refs/heads/main', uid: 'main', recordedNumber: 5, ancestry: [] }],
    pastHolders: [],
  } as unknown as RefFacts,
} satisfies RepositoryFacts

function mintToken(permit: Permit, at: UnixSeconds, by: Mint) {
  return new PreparedToken(permit, by, storage).sign(at)
}

function permitFor(
  asker: Caller,
  scope: 'read' | 'write' = 'read',
  facts: RepositoryFacts = repository,
): Permit {
  const decision = decidePermission(
    {
      caller: asker,
      repo: { type: 'dataset', namespace: 'acme', name: 'squad' },
      asOf,
      repository: facts,
      scope,
      revision: parseRevision('v1'),
    },
    { hidePrivateRepositories: false },
  )
  if (isRefusal(decision)) throw new Error(decision.detail)
  return decision
}

async function claimsOf(token: string, at: UnixSeconds = now) {
  const expected = { keys, issuer: mint.issuer, audience: storage.audience, now: at }
  const verified = await verifyToken(token, expected)
  if (!verified.ok) throw new Error(verified.reason)
  return verified.claims
}

describe('a storage token never outlives the hub token that asked for it', () => {
  test.each([
    [1, 1],
    [899, 899],
    [900, 900],
    [901, 900],
    [100_000, 900],
  ])('which has %i s left: it lives %i s', async (left, lives) => {
    const permit = permitFor({ ...caller, expiresAt: unixSeconds(now + left) })
    const { exp, accessToken } = mintToken(permit, now, mint)
    expect(exp).toBe(now + lives)
    expect((await claimsOf(accessToken.reveal())).exp).toBe(now + lives)
  })

  test('whatever the lifetimes are', async () => {
    const seconds = fc.integer({ min: 1, max: 86_400 })
    await fc.assert(
      fc.asyncProperty(seconds, seconds, async (left, lifetimeSeconds) => {
        const permit = permitFor({ ...caller, expiresAt: unixSeconds(now + left) })
        const { exp, accessToken } = mintToken(permit, now, { ...mint, lifetimeSeconds })
        expect(exp).toBe(now + Math.min(left, lifetimeSeconds))
        expect((await claimsOf(accessToken.reveal())).exp).toBe(exp)
      }),
      { numRuns: runs },
    )
  })
})

describe('a storage token', () => {
  test('says who asked for what, and nothing else', async () => {
    const { accessToken, exp, casUrl } = mintToken(permitFor(caller, 'write'), now, mint)
    expect(await claimsOf(accessToken.reveal())).toEqual({
      iss: 'https://hub.example',
      aud: 'https://cas.example/r',
      sub: 'account',
      client_id: 'hub-token',
      scope: 'write',
      repo: { type: 'dataset', id: 'acme/squad', uid: 'repository' },
      ref: { name: 'refs/tags/v1', uid: 'tag' },
      commit: hash,
      as_of: asOf,
      sees: [{ uid: 'main', before: 5 }],
      iat: now,
      exp: now + 900,
      jti: expect.stringMatching(/^[a-z2-7]{26}$/),
    })
    expect(exp).toBe(now + 900)
    expect(casUrl).toBe('https://cas.example/r/repository/tag')
  })

  test('is the same whatever was removed before, but leads to another address', async () => {
    const before = mintToken(permitFor(caller), now, mint)
    const after = mintToken(permitFor(caller, 'read', { ...repository, epoch: 12 }), now, mint)
    expect(after.casUrl).toBe('https://cas.example/r/repository/tag-12')
    const { jti, ...claims } = await claimsOf(after.accessToken.reveal())
    expect(await claimsOf(before.accessToken.reveal())).toMatchObject(claims)
  })

  test('of an anonymous reader says so', async () => {
    const { accessToken } = mintToken(permitFor(anonymous), now, mint)
    expect(await claimsOf(accessToken.reveal())).toMatchObject({
      sub: 'anonymous',
      client_id: 'anonymous',
      scope: 'read',
    })
  })

  test('is another one for the same request at the same moment', async () => {
    const permit = permitFor(caller)
    const tokens = Array.from({ length: 50 }, () =>
      mintToken(permit, now, mint).accessToken.reveal(),
    )
    expect(new Set(tokens).size).toBe(50)
    const ids = await Promise.all(tokens.map(async (token) => (await claimsOf(token)).jti))
    expect(new Set(ids).size).toBe(50)
  })

  test('is signed by the key that signs at that moment', async () => {
    const next = await generateSigningKey('EdDSA')
    const { accessToken } = mintToken(permitFor(caller), now, { ...mint, signingKey: () => next })
    await expect(claimsOf(accessToken.reveal())).rejects.toThrow('unknown_key')
  })

  test('has an expiry in whole seconds, or is a mistake in the program', () => {
    const fraction = { ...mint, lifetimeSeconds: 0.5 }
    expect(() => mintToken(permitFor(caller), now, fraction)).toThrow(RangeError)
  })
})
