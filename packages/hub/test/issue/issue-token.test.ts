/** The job of the hub, step by step: who is asked what, and in which order. */

import {
  asAccountId,
  asHubTokenId,
  asRepositoryUid,
  defaultStorage,
  isRefusal,
  journalNumber,
  parseTokenPath,
  type RefName,
  type Refusal,
  refuse,
  storageAddress,
  type TokenPath,
  unixSeconds,
} from '@latchkey/protocol'
import { idsFrom, pooledRandom } from '@latchkey/service/machine/random'
import { readKeySet, verifyToken } from '@latchkey/token'
import { generateSigningKey, jwksOf } from '@latchkey/token/signing'
import { describe, expect, test } from 'vitest'
import type { AccessFacts } from '../../src/access/look-up.ts'
import { anonymous, type CallerRecord } from '../../src/identity/caller.ts'
import { hashHubToken, makeHubToken } from '../../src/identity/hub-token.ts'
import { identifyCaller } from '../../src/identity/identify-caller.ts'
import { readSent } from '../../src/identity/read-credential.ts'
import { knownAccounts } from '../../src/issue/known-accounts.ts'
import { checkFresh } from '../../src/issue/with-fresh-facts.ts'
import { type KnownDeps, tokens } from '../../src/issue/with-known.ts'
import type { RefFacts, RepositoryFacts } from '../../src/permission/access-facts.ts'

const now = unixSeconds(1_800_000_000)
const asOf = journalNumber(1_800_000_000_007)
const learned = { steadyMs: 0, wallMs: asOf }
const prefixes = new Set(['lk_'])
const hubToken = makeHubToken('lk_', pooledRandom())
const bearer = `Bearer ${hubToken.reveal()}`
const signingKey = await generateSigningKey('ES256')
const tooMany = refuse('rate_limited', 'Too often.')

const record: CallerRecord = {
  accountId: asAccountId('account'),
  accountName: 'someone',
  accountDisabled: false,
  administrator: false,
  hubTokenId: asHubTokenId('hub-token'),
  kind: 'write',
  origin: 'admin',
  grants: [],
}

const repository: RepositoryFacts = {
  uid: asRepositoryUid('repository'),
  epoch: 0,
  storage: defaultStorage,
  visibility: 'public',
  defaultBranch: 'refs/heads/main' as RefName,
  role: 'read',
  refRules: [],
  ref: {
    name: 'refs/heads/main',
    uid: 'ref',
    commit: '1'.repeat(40),
    ancestry: [],
    holders: [],
    pastHolders: [],
  } as unknown as RefFacts,
}

function pathOf(text: string): TokenPath {
  const path = parseTokenPath(`/api/models/acme/${text}`)
  if (path === undefined) throw new Error(`no token path: ${text}`)
  return path
}

/** The rows of the directory. */
interface Rows extends Pick<AccessFacts, 'repository'> {
  readonly caller: CallerRecord | undefined
}

interface Surroundings {
  /** What the directory says when it is asked past the caches; without it, nothing comes from a cache. */
  readonly anew?: Rows
  readonly isFresh?: boolean
  /** What is found first is too old by then. */
  readonly isSlowOnce?: boolean
  readonly facts?: Rows
  readonly anonymous?: boolean
  readonly compatible?: boolean
  readonly hubTokenLimit?: Refusal
  readonly failureLimit?: Refusal
  readonly anonymousLimit?: Refusal
}

/** An issuing hub that writes down what it is asked. */
function hub(around: Surroundings = {}) {
  const asked: (readonly unknown[])[] = []
  const note = (what: string, ...about: unknown[]) => void asked.push([what, ...about])
  const issuing: KnownDeps = {
    findAccess: async (question) => {
      note('directory', question)
      const rows = around.facts ?? { caller: record, repository }
      const found = (question.anew === true ? around.anew : undefined) ?? rows
      const { hubTokenHash: hash } = question
      const caller = hash === undefined ? anonymous : identifyCaller(found.caller, question.now)
      const isCurrent = question.anew === true || around.anew === undefined
      return {
        asOf,
        learned,
        isCurrent,
        isRecurring: !isCurrent,
        repository: found.repository,
        caller,
      }
    },
    findRepository: async () => undefined,
    knownRequests: { recall: () => undefined, asking: () => () => {} },
    knownPrefixes: () => prefixes,
    currentPrefixes: () => prefixes,
    isFresh: () => {
      const isOld = around.isSlowOnce && asked.filter(([what]) => what === 'directory').length < 2
      return around.isFresh ?? !isOld
    },
    limits: {
      forHubToken: (id) => {
        note('limit', id)
        return around.hubTokenLimit
      },
      forAnonymous: (address) => {
        note('anonymous', address)
        return around.anonymousLimit
      },
      forFailure: (address) => {
        note('failure', address)
        return around.failureLimit
      },
      isReached: () => false,
    },
    accounts: knownAccounts(),
    noteUse: (id, moment) => note('use', id, moment),
    admitsAnonymous: around.anonymous ?? false,
    policy: { hidePrivateRepositories: false },
    compatible: around.compatible ?? false,
    followKeys: () => {},
    canSign: () => true,
    mint: {
      issuer: 'https://hub.example',
      storages: new Map([[defaultStorage, storageAddress('https://cas.example/r/{repo}/{ref}')]]),
      lifetimeSeconds: 900,
      signingKey: () => {
        note('signing')
        return signingKey
      },
      newTokenId: idsFrom(pooledRandom()),
    },
  }
  return { asked, issuing }
}

function request(authorization: readonly string[], path = 'bert/storage-read-token/main') {
  return { path: pathOf(path), sent: readSent(authorization), address: () => '192.0.2.1', now }
}

const question = {
  hubTokenHash: hashHubToken(hubToken),
  now,
  repo: { type: 'model', namespace: 'acme', name: 'bert' },
  revision: { kind: 'bare', branch: 'refs/heads/main', tag: 'refs/tags/main' },
  isOfSession: false,
  anew: false,
}

describe('a request without a valid hub token', () => {
  test.each([
    ['no header', [], 'hub_token_missing'],
    ['another scheme', ['Basic x'], 'hub_token_missing'],
    ['a malformed one', ['Bearer lk_x'], 'hub_token_invalid'],
    ['two headers', [bearer, bearer], 'hub_token_invalid'],
  ])('is refused without asking the directory: %s', async (_, authorization, code) => {
    const { asked, issuing } = hub()
    const outcome = await tokens.issueAnew(request(authorization), issuing)
    expect(outcome).toEqual({ result: expect.objectContaining({ code }) })
    expect(asked).toEqual([['failure', '192.0.2.1']])
  })

  test.each<readonly [string, CallerRecord | undefined]>([
    ['unknown', undefined],
    ['revoked', { ...record, revokedAt: now }],
    ['expired', { ...record, expiresAt: now }],
    ['of a disabled account', { ...record, accountDisabled: true }],
  ])('is refused after one question, counted for its address alone: %s', async (_, caller) => {
    const { asked, issuing } = hub({ facts: { caller, repository } })
    const outcome = await tokens.issueAnew(request([bearer]), issuing)
    expect(outcome.caller).toBeUndefined()
    expect(outcome.result).toMatchObject({ code: 'hub_token_invalid' })
    expect(asked).toEqual([
      ['directory', question],
      ['failure', '192.0.2.1'],
    ])
  })

  test.each([
    ['without a header', [], { caller: undefined, repository }],
    ['with a malformed token', ['Bearer x'], { caller: undefined, repository }],
    ['with an unknown token', [bearer], { caller: undefined, repository }],
  ])('is told to wait after too many failures: %s', async (_, authorization, facts) => {
    const { issuing } = hub({ facts, failureLimit: tooMany })
    expect((await tokens.issueAnew(request(authorization), issuing)).result).toBe(tooMany)
  })
})

describe('a request with a valid hub token', () => {
  test('is told to wait before anything is decided, and its use is not noted', async () => {
    const { asked, issuing } = hub({
      facts: { caller: record, repository: undefined },
      hubTokenLimit: tooMany,
    })
    const outcome = await tokens.issueAnew(request([bearer]), issuing)
    expect(outcome).toEqual({ result: tooMany, caller: record })
    expect(asked).toEqual([
      ['directory', question],
      ['limit', 'hub-token'],
    ])
  })

  test.each([
    ['bert/storage-write-token/main', 'permission_denied'],
    ['..%2Fx/storage-read-token/main', 'repository_not_found'],
  ])('is refused by the decision, with its caller for the log: %s', async (path, code) => {
    const { asked, issuing } = hub({ failureLimit: tooMany })
    const outcome = await tokens.issueAnew(request([bearer], path), issuing)
    expect(outcome).toEqual({
      result: expect.objectContaining({ code }),
      caller: record,
    })
    expect(asked.flat()).not.toContain('signing')
    expect(asked.flat()).not.toContain('failure')
  })

  test('of an impossible repository asks the directory for none', async () => {
    const { asked, issuing } = hub({ facts: { caller: record, repository: undefined } })
    await tokens.issueAnew(request([bearer], '..%2Fx/storage-read-token/main'), issuing)
    expect(asked[0]).toEqual(['directory', { ...question, repo: undefined }])
  })

  test('gets its token after one question, one count, one note and one signature', async () => {
    const { asked, issuing } = hub()
    const { result, caller } = await tokens.issueAnew(request([bearer]), issuing)
    expect(asked).toEqual([
      ['directory', question],
      ['limit', 'hub-token'],
      ['use', 'hub-token', now],
      ['signing'],
    ])
    expect(caller).toEqual(record)
    if (isRefusal(result)) throw new Error(result.detail)
    expect(result.exp).toBe(now + 900)
    expect(result.casUrl).toBe('https://cas.example/r/repository/ref')
    const verified = await verifyToken(result.accessToken.reveal(), {
      keys: await readKeySet(jwksOf([signingKey])),
      issuer: 'https://hub.example',
      audience: 'https://cas.example/r',
      now,
    })
    expect(verified).toMatchObject({
      ok: true,
      claims: { sub: 'account', scope: 'read', as_of: asOf },
    })
  })

  test('is only checked, and nothing is signed, where nothing more is asked', async () => {
    const { asked, issuing } = hub()
    const { result, caller } = await checkFresh(request([bearer]), issuing)
    expect(isRefusal(result)).toBe(false)
    expect(caller).toEqual(record)
    expect(asked.flat()).not.toContain('signing')
  })

  test('of a compatible client that says None asks for the default branch', async () => {
    const path = 'bert/xet-read-token/None'
    const compatible = hub({ compatible: true })
    const { result } = await tokens.issueAnew(request([bearer], path), compatible.issuing)
    expect(compatible.asked[0]).toEqual([
      'directory',
      { ...question, revision: { kind: 'default' } },
    ])
    expect(isRefusal(result)).toBe(false)
  })
})

describe('where anonymous reading is allowed, a request without a hub token', () => {
  const nobody = { caller: undefined, repository: { ...repository, role: undefined } }

  test.each([
    ['writing', 'bert/storage-write-token/main', nobody],
    [
      'a missing repository',
      'bert/storage-read-token/main',
      { caller: undefined, repository: undefined },
    ],
    [
      'a private repository',
      'bert/storage-read-token/main',
      { caller: undefined, repository: { ...nobody.repository, visibility: 'private' } },
    ],
    [
      'a missing revision',
      'bert/storage-read-token/main',
      { caller: undefined, repository: { ...nobody.repository, ref: undefined } },
    ],
  ] as const)('is refused as a failure of its address: %s', async (_, path, facts) => {
    const { asked, issuing } = hub({ facts, anonymous: true })
    const outcome = await tokens.issueAnew(request([], path), issuing)
    expect(outcome).toEqual({ result: expect.objectContaining({ code: 'hub_token_missing' }) })
    expect(asked.at(-1)).toEqual(['failure', '192.0.2.1'])

    const limited = hub({ facts, anonymous: true, failureLimit: tooMany })
    expect((await tokens.issueAnew(request([], path), limited.issuing)).result).toBe(tooMany)
  })

  test.each([
    ['an invalid hub token', 'Bearer lk_x', 'hub_token_invalid'],
    ['another scheme', 'Basic bGs6bGs=', 'hub_token_missing'],
  ])('is none where there is a credential, however bad: %s', async (_, value, code) => {
    const { asked, issuing } = hub({ facts: nobody, anonymous: true })
    const { result } = await tokens.issueAnew(request([value]), issuing)
    expect(result).toMatchObject({ code })
    expect(asked).toEqual([['failure', '192.0.2.1']])
  })

  test('is told to wait before the directory is asked, when its address asks too often', async () => {
    const { asked, issuing } = hub({ facts: nobody, anonymous: true, anonymousLimit: tooMany })
    expect(await tokens.issueAnew(request([]), issuing)).toEqual({ result: tooMany })
    expect(asked).toEqual([['anonymous', '192.0.2.1']])
  })

  test('gets a token as anonymous, counted for its address', async () => {
    const { asked, issuing } = hub({ facts: nobody, anonymous: true })
    const { result, caller } = await tokens.issueAnew(request([]), issuing)
    expect(isRefusal(result)).toBe(false)
    expect(caller).toMatchObject({ accountId: 'anonymous', hubTokenId: 'anonymous' })
    expect(asked).toEqual([
      ['anonymous', '192.0.2.1'],
      ['directory', { ...question, hubTokenHash: undefined }],
      ['signing'],
    ])
  })
})

describe('a refusal', () => {
  const revoked = { ...record, revokedAt: unixSeconds(now - 1) }
  const closed = { ...repository, visibility: 'private', role: undefined } as const

  test.each<readonly [string, Rows]>([
    ['of a hub token', { caller: revoked, repository: undefined }],
    ['of an unknown hub token', { caller: undefined, repository: undefined }],
    ['of a closed repository', { caller: record, repository: closed }],
    ['of an absent repository', { caller: record, repository: undefined }],
  ])('%s is never given by a cache, which may be older than the request', async (_, facts) => {
    const { asked, issuing } = hub({ facts, anew: { caller: record, repository } })
    const { result } = await tokens.issueAnew(request([bearer]), issuing)
    expect(isRefusal(result)).toBe(false)
    expect(asked.filter(([what]) => what === 'directory')).toEqual([
      ['directory', question],
      ['directory', { ...question, anew: true }],
    ])
    expect(asked.filter(([what]) => what === 'failure')).toEqual([])
  })

  test('asks for current prefixes only where the hub token has none that is known', async () => {
    const facts = { caller: revoked, repository: undefined }
    const { issuing } = hub({ facts, anew: facts })
    let asked = 0
    const currentPrefixes = () => {
      asked += 1
      return prefixes
    }
    await tokens.issueAnew(request([bearer]), { ...issuing, currentPrefixes })
    expect(asked).toBe(0)
    await tokens.issueAnew(request(['Bearer other_x']), { ...issuing, currentPrefixes })
    expect(asked).toBe(1)
  })

  test('is given when the directory says the same once more, and is counted once', async () => {
    const facts = { caller: revoked, repository: undefined }
    const { asked, issuing } = hub({ facts, anew: facts })
    const { result } = await tokens.issueAnew(request([bearer]), issuing)
    expect(result).toMatchObject({ code: 'hub_token_invalid' })
    expect(asked.filter(([what]) => what === 'failure')).toHaveLength(1)
  })

  test('of a caller who lost everything between the two questions is the second one', async () => {
    const facts = { caller: record, repository: closed }
    const { issuing } = hub({ facts, anew: { caller: revoked, repository: undefined } })
    const { result } = await tokens.issueAnew(request([bearer]), issuing)
    expect(result).toMatchObject({ code: 'hub_token_invalid' })
  })
})

test('what was found too long ago is not signed', async () => {
  const { asked, issuing } = hub({ isFresh: false })
  const { result } = await tokens.issueAnew(request([bearer]), issuing)
  expect(result).toMatchObject({ code: 'not_ready' })
  expect(asked).not.toContainEqual(['signing'])
})

test('what became too old while the request waited is asked for once more, past the caches', async () => {
  const { asked, issuing } = hub({ isSlowOnce: true })
  const { result } = await tokens.issueAnew(request([bearer]), issuing)
  expect(result).toHaveProperty('accessToken')
  const questions = asked.filter(([what]) => what === 'directory')
  expect(questions).toEqual([
    ['directory', question],
    ['directory', { ...question, anew: true }],
  ])
  expect(asked.filter(([what]) => what === 'limit')).toHaveLength(1)
})

test('what was withdrawn while the request waited is not signed', async () => {
  const { asked, issuing } = hub({
    isSlowOnce: true,
    anew: { caller: { ...record, revokedAt: now }, repository: undefined },
  })
  const { result } = await tokens.issueAnew(request([bearer]), issuing)
  expect(result).toMatchObject({ code: 'hub_token_invalid' })
  expect(asked).not.toContainEqual(['signing'])
})
