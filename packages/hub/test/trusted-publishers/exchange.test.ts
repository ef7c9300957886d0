/** CI jobs exchange id tokens for hub tokens, over HTTP: RFC 8693. */

import { Secret } from '@latchkey/protocol'
import { acme } from '@latchkey/testing/hub/acme'
import { startWorld } from '@latchkey/testing/hub/world'
import { SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Exchanging,
  exchangeType,
  idTokenType,
  openExchange,
  post,
  repository,
  rule,
} from './open-exchange.ts'

let opened: Exchanging
beforeEach(async () => {
  opened = await openExchange()
  await opened.world.done('publisher create', { ...rule, issuer: opened.issuer.issuer })
})
afterEach(() => opened.close())

const errorOf = ({ status, json }: { status: number; json: Readonly<Record<string, unknown>> }) => [
  status,
  json['error'],
]
const refused = [400, 'invalid_grant']

/** Whether a hub token gets a storage token of this revision. */
async function mayWrite(token: unknown, place: string): Promise<number> {
  const [path, revision] = place.split('@')
  const url = `${opened.world.hub.url}/api/${path}/storage-write-token/${encodeURIComponent(revision ?? '')}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  return response.status
}

const tokenOf = async () => (await opened.exchange()).json['access_token']

describe('a job that its rule admits', () => {
  test('gets a hub token of the life of the rule', async () => {
    const { status, headers, json } = await opened.exchange()
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(json).toEqual({
      access_token: expect.stringMatching(/^lk_/),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'bearer',
      expires_in: 900,
      scope: 'write',
    })
  })

  test('writes the named ref of the named repository, and nothing else', async () => {
    const token = await tokenOf()
    expect(await mayWrite(token, 'models/acme/bert@main')).toBe(200)
    for (const place of [
      ...['models/acme/bert@dev', 'models/acme/bert@refs/pr/1', 'models/acme/bert@release/1'],
      ...['models/acme/open@main', 'datasets/acme/bert@main', 'spaces/acme/demo@main'],
    ]) {
      expect([403, 404], place).toContain(await mayWrite(token, place))
    }
  })

  test('loses its hub token at the end of its life', async () => {
    const token = await tokenOf()
    opened.world.passSeconds(899)
    expect(await mayWrite(token, 'models/acme/bert@main')).toBe(200)
    opened.world.passSeconds(1)
    expect(await mayWrite(token, 'models/acme/bert@main')).toBe(401)
  })

  test('is in the journal and in the list of hub tokens with its origin, and its secrets are nowhere', async () => {
    const { world } = opened
    const idToken = await opened.issuer.sign(opened.claims())
    const { json } = await opened.exchange({}, { subject_token: idToken })
    const { items } = await world.done('changes', { last: 1 })
    expect(items).toMatchObject([{ verb: 'exchange id token', thing: 'hub-token', did: 'created' }])
    const { account } = await world.done('publisher show', { repository, publisher: 'release' })
    const list = await world.done('hub-token list', { account })
    expect(list['items']).toMatchObject([
      { origin: 'ci', grants: [{ on: repository, contents: 'write', refs: ['main'] }] },
    ])
    const said = JSON.stringify([items, list, world.logLines])
    expect(said).not.toContain(idToken.split('.')[2])
    expect(said).not.toContain(String(json['access_token']))
  })

  test('may send a form, and another name for the type of its token', async () => {
    const subject_token = await opened.issuer.sign(opened.claims())
    const body = new URLSearchParams({
      grant_type: exchangeType,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      resource: 'models/acme/bert',
      subject_token,
    })
    const url = `${opened.world.hub.url}/oauth/token`
    expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
  })

  // conformance: Attacks / 76. An attacker gets a hub token with the id token of a CI job
  test('exchanges one id token 200 times, and then no more', async () => {
    const subject_token = await opened.issuer.sign(opened.claims({ jti: 'same' }))
    const answers = []
    for (let count = 0; count < 202; count += 1) {
      answers.push((await opened.exchange({}, { subject_token })).status)
    }
    expect(answers.filter((status) => status === 200)).toHaveLength(200)
    expect(answers.slice(-2)).toEqual([400, 400])
    expect(await opened.reasons()).toContain('it was exchanged 200 times')
    expect((await opened.exchange({ jti: 'other' })).status).toBe(200)
  })
})

// conformance: Attacks / 76. An attacker gets a hub token with the id token of a CI job
describe('a job is refused, and the owners of the repository learn why,', () => {
  test.each([
    ['of the pull request of a fork', { event_name: 'pull_request' }, /event_name/],
    [
      'of a pull request in the context of its base',
      { event_name: 'pull_request_target' },
      /event_name/,
    ],
    ['of a tag with the name of the branch', { ref: 'refs/tags/main', ref_type: 'tag' }, /\bref\b/],
    ['of another branch', { ref: 'refs/heads/dev' }, /\bref\b/],
    ['with a list in place of a ref', { ref: ['refs/heads/main'] }, /\bref\b/],
    ['without an event', { event_name: undefined }, /event_name/],
    ['for another audience', { aud: 'https://other.example' }, /aud/],
    ['for two audiences', { aud: ['https://hub.example', 'https://other.example'] }, /aud/],
    ['without an audience', { aud: undefined }, /aud/],
    ['without an id of its token', { jti: undefined }, /jti/],
    ['with an empty id of its token', { jti: '' }, /jti/],
    ['without a time', { iat: undefined }, /iat/],
    ['without an end', { exp: undefined }, /expired/],
  ])('%s', async (_, change, words) => {
    expect(errorOf(await opened.exchange(change))).toEqual(refused)
    expect(await opened.reasons()).toEqual([expect.stringMatching(words)])
  })

  test('with an id token that has expired, is too old, or comes from the future', async () => {
    const now = opened.world.now()
    expect(errorOf(await opened.exchange({ exp: now - 31 }))).toEqual(refused)
    const old = { iat: now - 3601, exp: now + 300 }
    expect(errorOf(await opened.exchange(old))).toEqual(refused)
    expect(errorOf(await opened.exchange({ iat: now + 60 }))).toEqual(refused)
    expect(errorOf(await opened.exchange({ nbf: now + 60 }))).toEqual(refused)
    expect(await opened.reasons()).toEqual([
      'it is not valid yet',
      'iat is in the future',
      'it is older than 3600 s',
      'it has expired',
    ])
  })

  test('where a rule wants the first run, and the job is run again', async () => {
    const claims = [...rule.claims, 'run_attempt=1']
    await opened.world.done('publisher set', { repository, publisher: 'release', claims })
    expect((await opened.exchange()).status).toBe(200)
    expect(errorOf(await opened.exchange({ run_attempt: '2' }))).toEqual(refused)
  })
})

// conformance: Attacks / 76. An attacker gets a hub token with the id token of a CI job
describe('a stranger is refused, and nobody is told,', () => {
  test.each([
    ['a re-created repository with the same name', { repository_id: '75' }],
    ['another organisation with the same name', { repository_owner_id: '66' }],
    ['a project without ids', { repository_id: undefined, repository_owner_id: undefined }],
    ['an id that is a number', { repository_id: 740 }],
  ])('%s', async (_, change) => {
    expect(errorOf(await opened.exchange(change))).toEqual(refused)
    expect(await opened.reasons()).toEqual([])
  })

  test('whose id token is forged, unsigned, signed with a shared secret, or of another issuer', async () => {
    const { issuer } = opened
    const sign = (how: object, change: object = {}) => issuer.sign(opened.claims(change), how)
    const [header = '', body = '', signature = ''] = (await sign({})).split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const changed = encode({ ...opened.claims(), repository_id: '74', ref: 'refs/heads/main' })
    for (const subject_token of [
      await sign({ isForged: true }),
      await sign({}, { iss: 'https://evil.example' }),
      `${header}.${changed}.${signature}`,
      `${encode({ alg: 'none', kid: 'key-1' })}.${body}.`,
      `${encode({ alg: 'none', kid: 'key-1' })}.${body}.AA`,
      `${encode({ alg: 'HS256', kid: 'key-1' })}.${body}.${signature}`,
      ...['', 'a.b.c', 'no token', `${header}.${body}`, `${'a'.repeat(9000)}.b.c`],
    ]) {
      const told = await opened.exchange({}, { subject_token })
      expect(told.status, subject_token.slice(0, 40)).toBe(400)
      expect(told.json).not.toHaveProperty('access_token')
    }
    expect(await opened.reasons()).toEqual([])
  })

  test('who signs with a shared secret that the issuer published among its keys', async () => {
    const { issuer } = opened
    const secret = new TextEncoder().encode('a secret that is not one any more')
    const k = Buffer.from(secret).toString('base64url')
    issuer.answer = (response, path) => {
      if (path !== '/keys') return false
      response.end(JSON.stringify({ keys: [{ kty: 'oct', k, kid: 'shared', alg: 'HS256' }] }))
      return true
    }
    const subject_token = await new SignJWT({ iss: issuer.issuer, ...opened.claims() })
      .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
      .sign(secret)
    const told = await opened.exchange({}, { subject_token })
    expect([told.status, told.json['access_token']]).toEqual([400, undefined])
  })

  test('and does not learn which repositories exist', async () => {
    const hidden = await opened.exchange({}, { resource: 'spaces/acme/demo' })
    const absent = await opened.exchange({}, { resource: 'spaces/acme/nothing' })
    expect(hidden.json).toEqual(absent.json)
    expect(errorOf(absent)).toEqual(refused)
  })
})

test('a resource that names no repository is another error', async () => {
  for (const resource of ['ada', 'kernels/acme/bert', 'a/b/c/d', 'acme/..']) {
    expect(errorOf(await opened.exchange({}, { resource })), resource).toEqual([
      400,
      'invalid_target',
    ])
  }
})

test('a request without one of its parameters, or for another type, is not valid', async () => {
  for (const name of ['subject_token_type', 'resource']) {
    expect(errorOf(await opened.exchange({}, { [name]: undefined }))).toEqual([
      400,
      'invalid_request',
    ])
  }
  const saml = { subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' }
  expect(errorOf(await opened.exchange({}, saml))).toEqual([400, 'invalid_request'])
  const id = { requested_token_type: idTokenType }
  expect(errorOf(await opened.exchange({}, id))).toEqual([400, 'invalid_request'])
})

test('of several rules, write comes before read, and then the oldest', async () => {
  const { world, issuer } = opened
  const more = { ...rule, issuer: issuer.issuer }
  await world.done('publisher set', { repository, publisher: 'release', contents: 'read' })
  expect((await opened.exchange()).json['scope']).toBe('read')
  world.passSeconds(1)
  await world.done('publisher create', { ...more, publisher: 'later', maxSeconds: 120 })
  world.passSeconds(1)
  await world.done('publisher create', { ...more, publisher: 'latest', maxSeconds: 60 })
  expect((await opened.exchange()).json).toMatchObject({ scope: 'write', expires_in: 120 })
})

// conformance: Attacks / 76. An attacker gets a hub token with the id token of a CI job
test('a narrower rule ends the hub tokens of its jobs, and a deleted one too', async () => {
  const { world } = opened
  const first = await tokenOf()
  await world.done('publisher set', { repository, publisher: 'release', refs: ['dev', 'main'] })
  expect(await mayWrite(first, 'models/acme/bert@main')).toBe(200)
  await world.done('publisher set', { repository, publisher: 'release', refs: ['dev'] })
  expect(await mayWrite(first, 'models/acme/bert@main')).toBe(401)
  const second = await tokenOf()
  expect(await mayWrite(second, 'models/acme/bert@dev')).toBe(200)
  await world.done('publisher delete', { repository, publisher: 'release' })
  expect(await mayWrite(second, 'models/acme/bert@dev')).toBe(401)
  expect(errorOf(await opened.exchange())).toEqual(refused)
})

// conformance: Attacks / 76. An attacker gets a hub token with the id token of a CI job
test('a rule and a repository give so many hub tokens in a minute', async () => {
  const { world, issuer } = opened
  const create = (publisher: string, branch: string) =>
    world.done('publisher create', {
      ...{ ...rule, issuer: issuer.issuer, publisher },
      claims: ['repository_id=74', 'repository_owner_id=65', `ref=refs/heads/${branch}`],
    })
  for (const branch of ['two', 'three']) await create(branch, branch)
  /** Until one has to wait; an id token serves 200 processes of its job. */
  const give = async (branch: string) => {
    let subject_token = ''
    for (let given = 0; ; given += 1) {
      const ref = `refs/heads/${branch}`
      if (given % 200 === 0) subject_token = await issuer.sign(opened.claims({ ref }))
      const { status, headers } = await opened.exchange({}, { subject_token })
      if (status !== 200) return [given, status, headers.has('retry-after')]
    }
  }
  expect(await give('main')).toEqual([300, 503, true])
  expect(await give('two')).toEqual([300, 503, true])
  expect(await give('three')).toEqual([0, 503, true])
  world.passSeconds(60)
  expect((await opened.exchange()).status).toBe(200)
}, 60_000)

test('a disabled account of a rule gives no hub token, and ends the ones that it gave', async () => {
  const { world } = opened
  const token = await tokenOf()
  const { account } = await world.done('publisher show', { repository, publisher: 'release' })
  await world.done('account set', { account, disabled: true })
  expect(await mayWrite(token, 'models/acme/bert@main')).toBe(401)
  expect(errorOf(await opened.exchange())).toEqual(refused)
})

describe('the keys of an issuer', () => {
  test('are fetched once, and again for an unknown one', async () => {
    await opened.exchange()
    await opened.exchange()
    expect(opened.issuer.requests).toEqual(['/.well-known/openid-configuration', '/keys'])
    await opened.issuer.rotate()
    opened.world.passSeconds(2)
    expect((await opened.exchange()).status).toBe(200)
  })

  test.each([
    ['redirects', 'redirect', 'answers with status 302'],
    ['names another issuer', 'other', 'names another issuer'],
    ['names keys on plain http elsewhere', 'plain', 'http://192.0.2.1 is not https'],
    ['sends no JSON', 'text', 'JSON'],
    ['sends a body without end', 'endless', 'sends more than 262144 bytes'],
  ])('are not taken from an issuer that %s', async (_, how, reason) => {
    const { issuer } = opened
    let followed = 0
    issuer.answer = (response, path) => {
      if (path === '/elsewhere') followed += 1
      if (path === '/keys') return false
      const documents: Readonly<Record<string, object>> = {
        other: { issuer: 'https://other.example', jwks_uri: `${issuer.issuer}/keys` },
        plain: { issuer: issuer.issuer, jwks_uri: 'http://192.0.2.1/keys' },
      }
      if (how === 'redirect') response.writeHead(302, { location: '/elsewhere' }).end()
      else if (how === 'endless') response.end(Buffer.alloc(300 * 1024, ' '))
      else response.end(how === 'text' ? '<html>' : JSON.stringify(documents[how]))
      return true
    }
    expect(errorOf(await opened.exchange())).toEqual([503, 'temporarily_unavailable'])
    expect(followed).toBe(0)
    const line = opened.world.logLines.find((one) => one.includes('issuer_keys_not_fetched'))
    expect(JSON.parse(line ?? '{}').reason).toContain(reason)
  })

  test('go on serving while the issuer is down', async () => {
    await opened.exchange()
    opened.issuer.answer = (response) => {
      response.destroy()
      return true
    }
    opened.world.passSeconds(3500)
    expect((await opened.exchange()).status).toBe(200)
  })
})

test('the list of refused exchanges keeps the newest 50, and ends with its repository', async () => {
  const { world } = opened
  for (let count = 0; count < 60; count += 1) {
    world.passSeconds(7)
    await opened.exchange({ ref: `refs/heads/${count}` })
  }
  const { items, total } = await world.done('publisher refusals', { repository })
  expect(total).toBe(50)
  expect((items as { claims: string[] }[])[0]?.claims).toContain('ref=refs/heads/59')
  await world.done('repo delete', { repository })
  expect(errorOf(await opened.exchange())).toEqual(refused)
})

test('a secret that the hub gave a job is a hub token that a leak report revokes', async () => {
  const token = new Secret('hub-token', String(await tokenOf()))
  const url = `${opened.world.hub.url}/revoke`
  const body = JSON.stringify({ token: token.reveal() })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(202)
  expect(await mayWrite(token.reveal(), 'models/acme/bert@main')).toBe(401)
})

test.each([
  ['https://127.0.0.1:9', /is not a public address/],
  ['https://[::1]:9', /is not a public address/],
  ['https://localhost:9', /address that is not public/],
])('an issuer at the private address %s is not asked without an option', async (issuer, words) => {
  const { issuer: own, world } = opened
  const inside = await startWorld(acme, {
    trustedPublishers: {
      issuers: [
        {
          ...{ issuer, preset: 'github', maxAgeSeconds: 3600 },
          ...{ allowPrivateAddresses: false, allowPlainHttp: false },
        },
      ],
    },
  })
  try {
    const subject_token = await own.sign({ ...opened.claims(), iss: issuer })
    const parameters = { grant_type: exchangeType, subject_token_type: idTokenType, subject_token }
    const told = await post(inside, { ...parameters, resource: 'acme/bert' })
    expect(errorOf(told)).toEqual([503, 'temporarily_unavailable'])
    expect(inside.logLines.join()).toMatch(words)
    expect(world.logLines.join()).not.toMatch(words)
  } finally {
    await inside.close()
  }
})

test('a hub without issuers does not know the grant', async () => {
  const world = await startWorld(acme)
  try {
    expect(errorOf(await post(world, { grant_type: exchangeType }))).toEqual([
      400,
      'unsupported_grant_type',
    ])
  } finally {
    await world.close()
  }
})
