import { setTimeout as sleep } from 'node:timers/promises'
import { type HubLink, httpHubLink } from '@latchkey/gate/hub-link'
import { asRefUid, asRepositoryUid, type JournalNumber, Secret } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { expect, onTestFinished, test } from 'vitest'
import { createGate, type Gate, guardFetch } from '../../src/index.ts'
import { type FakeHub, fakeHub, type RevokeRequest, tokenFlaws } from '../../src/testing/index.ts'

const casUrl = 'https://cas.example/r/{repo}/{ref}'
const bert = 'models/acme/bert'

/** The code of the refusal, or the ref that a gate admits. */
async function outcome(gate: Gate, token: string, path = ''): Promise<string> {
  const headers = ['Authorization', `Bearer ${token}`]
  const checked = await gate.check({ method: 'GET', target: `${path}/v1/x`, headers })
  return checked.ok ? checked.grant.ref : checked.refusal.code
}

async function hubAndGate(now?: number) {
  const hub = await fakeHub({ casUrl, ...(now === undefined ? {} : { now }) })
  const gate = createGate(hub.gateOptions)
  const seen = (token: string) => outcome(gate, token, hub.path(bert, 'main'))
  return { hub, gate, seen }
}

test('a gate with the options of a fake hub admits its tokens at their place', async () => {
  const { hub, gate, seen } = await hubAndGate()
  expect(await seen(hub.token())).toBe('refs/heads/main')
  expect(await seen(hub.token({ repository: 'datasets/acme/bert' }))).toBe('repository_mismatch')
  expect(await seen(hub.token({ ref: 'dev' }))).toBe('ref_mismatch')
  const tag = hub.token({ ref: 'refs/tags/v1' })
  expect(await outcome(gate, tag, hub.path(bert, 'refs/tags/v1'))).toBe('refs/tags/v1')
  const commit = 'ab'.repeat(20)
  expect(await outcome(gate, hub.token({ ref: commit }), hub.path(bert, commit))).toBe(commit)
})

test('a grant names scope, account and hub token of the request for the token', async () => {
  const { hub, gate } = await hubAndGate()
  const token = hub.token({ scope: 'write', account: 'grace', hubToken: 'ci', expiresIn: 60 })
  expect(await gate.verifyToken(token, undefined)).toMatchObject({
    scope: 'write',
    subject: 'grace',
    hubToken: 'ci',
    repository: bert,
    expiresAt: hub.clock.now() + 60,
  })
})

test.each(tokenFlaws)('a gate refuses a token with the flaw %s', async (flaw) => {
  const { hub, seen } = await hubAndGate()
  expect(await seen(hub.token({ flaw }))).toBe('storage_token_invalid')
})

test('tokens of one fake hub are worth nothing at the gate of another', async () => {
  const [one, other] = [await hubAndGate(), await fakeHub({ casUrl })]
  expect(await one.seen(other.token())).toBe('storage_token_invalid')
})

test('a token expires when the test has advanced the clock beyond its life and the leeway', async () => {
  const { hub, seen } = await hubAndGate(1_800_000_000)
  const token = hub.token({ expiresIn: 60 })
  hub.clock.advance(89)
  expect(await seen(token)).toBe('refs/heads/main')
  hub.clock.advance(1)
  expect(await seen(token)).toBe('storage_token_invalid')
  expect(hub.clock.now()).toBe(1_800_000_090)
})

const revocations: readonly RevokeRequest[] = [
  { hubToken: 'ada-laptop' },
  { account: 'ada' },
  { account: 'ada', repository: bert },
  { account: 'ada', namespace: 'acme' },
  { repository: bert },
  { repository: bert, ref: 'main' },
  { all: true },
]

test.each(revocations)('a gate refuses a token immediately after revoke(%j)', async (request) => {
  const { hub, seen } = await hubAndGate()
  const token = hub.token()
  expect(await seen(token)).toBe('refs/heads/main')
  hub.revoke(request)
  expect(await seen(token)).toBe('storage_token_invalid')
  const isForEver = request.hubToken !== undefined
  expect(await seen(hub.token())).toBe(isForEver ? 'storage_token_invalid' : 'refs/heads/main')
})

test('a revoked token stays refused, and other tokens of its hub token do not', async () => {
  const { hub, seen } = await hubAndGate()
  const [token, other] = [hub.token(), hub.token()]
  hub.revoke({ token })
  expect([await seen(token), await seen(other)]).toEqual([
    'storage_token_invalid',
    'refs/heads/main',
  ])
})

test('a handler under way is told when its token is revoked', async () => {
  const { hub, gate } = await hubAndGate()
  const handled = Promise.withResolvers<AbortSignal>()
  const handle = guardFetch(gate, (_request, { signal }) => {
    handled.resolve(signal)
    return new Promise<Response>(() => {})
  })
  const headers = { authorization: `Bearer ${hub.token()}` }
  const response = handle(new Request(hub.casUrl(bert, 'main'), { headers }))
  expect((await handled.promise).aborted).toBe(false)
  hub.revoke({ account: 'ada' })
  expect((await response).status).toBe(401)
})

test('a repository that is deleted and made again is another one with the same name', async () => {
  const { hub, gate } = await hubAndGate()
  const [token, path] = [hub.token(), hub.path(bert, 'main')]
  hub.deleteRepository(bert)
  expect(hub.path(bert, 'main')).not.toBe(path)
  expect(await outcome(gate, token, path)).toBe('storage_token_invalid')
  expect(await outcome(gate, hub.token(), path)).toBe('repository_mismatch')
})

test('a ref that is deleted and made again is another one with the same name', async () => {
  const { hub, gate } = await hubAndGate()
  const [token, path] = [hub.token(), hub.path(bert, 'main')]
  hub.deleteRef(bert, 'main')
  expect(await outcome(gate, token, path)).toBe('storage_token_invalid')
  expect(await outcome(gate, hub.token(), path)).toBe('ref_mismatch')
})

test('a fork keeps the number at which it was made, and so do its later tokens', async () => {
  const { hub, gate } = await hubAndGate()
  const seesOf = async () => {
    const grant = await gate.verifyToken(hub.token({ ref: 'fork', inherited: ['main'] }), undefined)
    return 'sees' in grant ? grant.sees : []
  }
  const before = Date.now()
  const [first] = await seesOf()
  expect(first?.before).toBeGreaterThan(before)
  expect(first?.before).toBeLessThanOrEqual(Date.now())
  hub.clock.advance(60)
  expect(await seesOf()).toEqual([first])
})

test('tokens of the old key stay good after a rotation, unless the key is compromised', async () => {
  const { hub, seen } = await hubAndGate()
  const token = hub.token()
  await hub.rotateKey()
  expect([await seen(token), await seen(hub.token())]).toEqual([
    'refs/heads/main',
    'refs/heads/main',
  ])
  const second = hub.token()
  await hub.rotateKey({ compromised: true })
  expect(await seen(second)).toBe('storage_token_invalid')
  expect(await seen(hub.token())).toBe('refs/heads/main')
})

test('a gate whose hub withholds revocations refuses requests until the hub answers again', async () => {
  const { hub, seen } = await hubAndGate()
  const [token, other] = [hub.token(), hub.token()]
  hub.withholdRevocations()
  hub.revoke({ token })
  expect(await seen(other)).toBe('gate_not_ready')
  hub.restoreRevocations()
  expect([await seen(token), await seen(other)]).toEqual([
    'storage_token_invalid',
    'refs/heads/main',
  ])
})

test('a gate with nothing but the URL of a listening fake hub decides as one with its options', async () => {
  const hub = await fakeHub({ casUrl })
  onTestFinished(() => hub.close())
  const hubUrl = await hub.listen()
  const gate = createGate({ hubUrl, issuer: hub.url, casUrl, pollSeconds: 1 })
  onTestFinished(() => gate.close())
  const seen = (token: string) => outcome(gate, token, hub.path(bert, 'main'))
  const token = hub.token()
  expect([await seen(token), await seen(hub.token({ flaw: 'unknown-key' }))]).toEqual([
    'refs/heads/main',
    'storage_token_invalid',
  ])
  hub.revoke({ token })
  for (let waits = 0; waits < 100 && (await seen(token)) === 'refs/heads/main'; waits++) {
    await sleep(50)
  }
  expect(await seen(token)).toBe('storage_token_invalid')
  expect((await fetch(`${hubUrl}/elsewhere`)).status).toBe(404)
})

test('a listening fake hub that withholds revocations serves nothing until it restores them', async () => {
  const hub = await fakeHub({ casUrl, now: 1_800_000_000, listSeconds: 20 })
  onTestFinished(() => hub.close())
  const url = `${await hub.listen()}/.well-known/storage-revocations`
  const [, payload = ''] = (await (await fetch(url)).text()).split('.')
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
    iat: 1_800_000_000,
    exp: 1_800_000_020,
  })
  hub.withholdRevocations()
  expect((await fetch(url)).status).toBe(503)
  hub.restoreRevocations()
  expect((await fetch(url)).status).toBe(200)
})

test('a storage follows a listening fake hub, with any credential', async () => {
  const hub = await fakeHub({ casUrl })
  onTestFinished(() => hub.close())
  const credential = new Secret('hub-token', 'any')
  const link = httpHubLink({ hubUrl: await hub.listen(), credential, clock: systemClock })
  const write = hub.token({ scope: 'write' })
  const [repositoryUid = '', refUid = ''] = hub.path(bert, 'main').split('/').slice(2)
  const first = await changesOf(link)
  expect(first.removed).toEqual([])
  const { as_of: decidedAt } = claimsIn(write)
  expect(first.number).toBeGreaterThanOrEqual(decidedAt)

  hub.deleteRef(bert, 'main')
  const second = await changesOf(link, first.number)
  expect(second).toMatchObject({ removed: [refUid], isComplete: true })
  const waiting = changesOf(link, second.number, 60)
  // The question waits at the hub when the other one has come back.
  expect((await changesOf(link, second.number)).removed).toEqual([])
  hub.deleteRepository(bert)
  expect((await waiting).removed).toEqual([repositoryUid])
  const uids = [refUid, 'other'.padEnd(26, 'a')].map(asRefUid)
  expect(await link.findUnknown(uids)).toEqual(new Set([refUid]))
  await link.raiseEpochs([asRepositoryUid(repositoryUid)])
})

async function changesOf(link: HubLink, after?: JournalNumber, waitSeconds = 0) {
  const answer = await link.changes({ ...(after !== undefined && { after }), waitSeconds })
  if (answer.kind !== 'changes') throw new Error(`the hub knows no number ${after}`)
  return answer
}

function claimsIn(token: string): { readonly as_of: number } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

type Mistake = (hub: FakeHub) => unknown

test.each<[Mistake, RegExp]>([
  [
    (hub) => hub.token({ scop: 'read' } as object),
    /scop is no option of token. Did you mean scope/,
  ],
  [(hub) => hub.token({ scope: 'admin' as 'read' }), /scope of token must be one of read, write/],
  [(hub) => hub.token({ repository: 'acme/bert' }), /"acme\/bert" names no repository/],
  [(hub) => hub.token({ ref: 'a..b' }), /"a..b" names no ref/],
  [(hub) => hub.token({ expiresIn: 90_000 }), /expiresIn of token must be 1 to 86400/],
  [(hub) => hub.token({ inherited: 'main' as never }), /inherited of token must be/],
  [(hub) => hub.token({ flaw: 'late' as 'expired' }), /flaw of token must be one of expired/],
  [(hub) => hub.revoke({}), /revoke takes one of token, hubToken, .* and got nothing/],
  [(hub) => hub.revoke({ ref: 'main' }), /revoke takes one of .* and got ref/],
  [(hub) => hub.revoke({ all: false }), /revoke takes one of/],
  [(hub) => hub.revoke({ token: 'abc' }), /token of revoke is no storage token/],
  [(hub) => hub.revoke({ repository: 'models/acme/gpt' }), /knows no models\/acme\/gpt/],
  [(hub) => hub.deleteRef(bert, 'dev'), /knows no/],
  [(hub) => hub.clock.advance(-1), /clock.advance takes whole seconds/],
])('%s is an error that says what to write', async (mistake, message) => {
  const { hub } = await hubAndGate()
  hub.token()
  expect(() => mistake(hub)).toThrow(message)
})

test.each<[object, RegExp]>([
  [{}, /casUrl is missing/],
  [{ casUrl: 'https://cas.example/' }, /casUrl: .* is not allowed/],
  [{ casUrl, issuer: 'hub' }, /issuer: "hub" is not allowed/],
  [{ casUrl, isuer: 'https://hub.example' }, /isuer is no option of fakeHub. Did you mean issuer/],
  [{ casUrl, now: 1.5 }, /now of fakeHub must be whole Unix seconds/],
  [{ casUrl, listSeconds: 61 }, /listSeconds of fakeHub must be 1 to 60, and is 61/],
])('fakeHub(%j) is an error that says what to write', async (options, message) => {
  await expect(fakeHub(options as { casUrl: string })).rejects.toThrow(message)
})
