import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { whoami } from '@latchkey/admin-api'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, bearer, hubToken } from '@latchkey/testing/hub/ask'
import { statementsDuring, withBrokenDatabase } from '@latchkey/testing/hub/statements'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { disturb, moment, revoke } from './changes.ts'
import { codeOf } from './compare.ts'

const path = '/api/whoami'

let world: World
beforeEach(async () => {
  world = await startWorld(acme)
})
afterEach(() => world.close())

interface Listed {
  readonly id: string
  readonly name: string
}

/** The hub token as an administrator sees it. */
async function shown(who: string): Promise<Record<string, unknown>> {
  const [account, name] = who.split('/')
  const { items } = await world.done('hub-token list', { account })
  const listed = (items as Listed[]).find((item) => item.name === name)
  return world.done('hub-token show', { hubToken: listed?.id })
}

test('the database failing is a 500 that tells nothing, and the log says why', async () => {
  await disturb(world)
  const before = world.logLines.length
  const told = await withBrokenDatabase('no such table: canary', () =>
    ask(world, path, { as: 'writer/write' }),
  )
  expect(codeOf(told)).toEqual([500, 'internal_error'])
  expect(told.text).not.toContain('canary')
  const lines = world.logLines.slice(before).map((line) => JSON.parse(line))
  const { requestId } = told.json
  expect(lines).toMatchObject([
    { event: 'request_failed', requestId, error: expect.stringContaining('canary') },
    { event: 'whoami_requested', outcome: 'refused', code: 'internal_error', requestId },
  ])
})

test('another method than GET or HEAD is refused and told what is allowed', async () => {
  const headers = ['Authorization', bearer(world, 'writer/write')]
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND']
  for (const method of methods) {
    const told = await askExactly(world, path, { method, headers })
    expect(codeOf(told), method).toEqual([405, 'method_not_allowed'])
    expect(told.headers.get('allow'), method).toBe('GET, HEAD')
  }
})

test('paths beside it are not found', async () => {
  const headers = ['Authorization', bearer(world, 'writer/write')]
  for (const target of [
    '/api/whoami/',
    '/api/whoami/x',
    '/api//whoami',
    '/API/whoami',
    '/whoami',
  ]) {
    expect(codeOf(await askExactly(world, target, { headers })), target).toEqual([404, 'not_found'])
  }
})

test.each([
  ['maintainer/admin', 'user', true],
  ['maintainer/write', 'user', true],
  ['writer/write', 'user', false],
  ['writer/read', 'user', false],
  ['ci-bot/main-only', 'service', false],
  ['ci-bot/read-acme', 'service', false],
])(
  '%s is told its account and itself, as an administrator sees it',
  async (who, kind, administrator) => {
    const told = await ask(world, path, { as: who })
    expect(told.status).toBe(200)
    expect(told.json).toEqual({
      account: { name: who.split('/')[0], kind, administrator },
      hubToken: await shown(who),
    })
  },
)

test('what a hub token is limited to is told: its grants, its verb groups and its end', async () => {
  const expiresAt = moment(world, 60)
  await world.apply({
    hubTokens: [
      { account: 'maintainer', name: 'few', kind: 'admin', adminScopes: ['account'], expiresAt },
    ],
  })
  const admin = await ask(world, path, { as: 'maintainer/few' })
  expect(admin.json['hubToken']).toMatchObject({
    kind: 'admin',
    adminScopes: ['account'],
    expiresAt: expiresAt.replace('.000Z', 'Z'),
  })
  const { json } = await ask(world, path, { as: 'ci-bot/main-only' })
  expect(json['hubToken']).toMatchObject({
    kind: 'fine-grained',
    grants: [{ on: 'models/acme/bert', contents: 'write', refs: ['main'] }],
  })
  expect(json['hubToken']).not.toHaveProperty('expiresAt')
})

test('the answer has the members that /openapi.json describes and no other', async () => {
  for (const as of Object.keys(world.tokens)) {
    const { json } = await ask(world, path, { as })
    expect(whoami.parse(json), as).toEqual(json)
  }
})

// conformance: Client / GET /api/whoami shows the caller only its own data
test('nothing of the secret is in the answer but the hint, and neither is its hash', async () => {
  for (const as of Object.keys(world.tokens)) {
    const token = hubToken(world, as)
    const { text, headers, json } = await ask(world, path, { as })
    const everything = text + JSON.stringify([...headers])
    const { hint } = json['hubToken'] as { hint: string }
    expect(token.slice(-10, -6)).toBe(hint)
    const others = everything.replaceAll(`"hint":"${hint}"`, '')
    for (let at = 0; at + 8 <= token.length; at += 1) {
      expect(others, as).not.toContain(token.slice(at, at + 8))
    }
    expect(everything).not.toContain(createHash('sha256').update(token).digest('hex'))
  }
})

test('the answer is JSON that no cache keeps, under an id of its own', async () => {
  const [one, other] = [
    await ask(world, path, { as: 'writer/read' }),
    await ask(world, path, { as: 'writer/read' }),
  ]
  expect(one.headers.get('content-type')).toBe('application/json')
  expect(one.headers.get('cache-control')).toBe('no-store')
  expect(one.headers.get('x-request-id')).toMatch(/^[a-z2-7]{26}$/)
  expect(one.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'))
  expect(Date.parse(one.headers.get('date') ?? '')).not.toBeNaN()
})

test('HEAD is answered with the status and headers of GET, without a body', async () => {
  for (const as of ['writer/write', undefined]) {
    const [head, get] = [
      await ask(world, path, { as, method: 'HEAD' }),
      await ask(world, path, { as }),
    ]
    expect([head.status, head.text]).toEqual([get.status, ''])
    for (const name of ['content-type', 'content-length', 'cache-control', 'www-authenticate']) {
      expect(head.headers.get(name), name).toBe(get.headers.get(name))
    }
  }
})

test('an answer is one line of the log that says who asked, and one count', async () => {
  const before = world.logLines.length
  const { headers } = await ask(world, path, { as: 'writer/read' })
  await ask(world, path)
  const lines = world.logLines.slice(before).map((line) => JSON.parse(line))
  const { id: subject } = await world.done('account show', { account: 'writer' })
  const measured = {
    ...{ level: 'info', time: expect.any(String), milliseconds: expect.any(Number) },
    address: '127.0.0.1',
  }
  expect(lines).toEqual([
    {
      ...measured,
      event: 'whoami_requested',
      outcome: 'told',
      subject,
      account: 'writer',
      hubToken: (await shown('writer/read'))['id'],
      requestId: headers.get('x-request-id'),
    },
    {
      ...measured,
      event: 'whoami_requested',
      outcome: 'refused',
      code: 'hub_token_missing',
      requestId: expect.any(String),
    },
  ])
  const { text } = await ask(world, '/metrics')
  expect(text).toContain('latchkey_whoami_requests_total{outcome="told"} 1\n')
  expect(text).toContain('latchkey_whoami_requests_total{outcome="hub_token_missing"} 1\n')
  expect(text).not.toMatch(/latchkey_tokens_refused_total\{/)
})

test('an answer reads and does not write, and counts as a use of the hub token', async () => {
  const asked = () => ask(world, path, { as: 'writer/read' })
  for (const sql of await statementsDuring(asked)) expect(sql).toMatch(/^select\b/i)
  world.passSeconds(100)
  await asked()
  await world.hub.stop()
  expect(Date.parse(String((await shown('writer/read'))['lastUsedAt']))).toBe(world.now() * 1000)
})

test('an answer does not wait for a change that waits', async () => {
  const other = new DatabaseSync(join(world.settings.data, 'latchkey.db'))
  other.exec('BEGIN IMMEDIATE')
  const change = fetch(`${world.hub.url}/admin/v1/accounts`, {
    method: 'POST',
    headers: {
      authorization: bearer(world, 'maintainer/admin'),
      'content-type': 'application/json',
    },
    body: '{"name":"patient"}',
  })
  for (let count = 0; count < 5; count += 1) {
    expect((await ask(world, path, { as: 'writer/read' })).status).toBe(200)
  }
  expect((await world.done('account list'))['items']).not.toContainEqual(
    expect.objectContaining({ name: 'patient' }),
  )
  other.exec('ROLLBACK')
  other.close()
  expect((await change).status).toBe(201)
})

test('what changes is told at the next request', async () => {
  const asked = async () => (await ask(world, path, { as: 'writer/write' })).json['account']
  expect(await asked()).toMatchObject({ kind: 'user', administrator: false })
  await world.done('account set', { account: 'writer', kind: 'service', administrator: true })
  expect(await asked()).toMatchObject({ kind: 'service', administrator: true })
  await revoke(world, 'writer', 'write')
  expect(codeOf(await ask(world, path, { as: 'writer/write' }))).toEqual([401, 'hub_token_invalid'])
})
