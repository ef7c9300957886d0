import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, bearer, hubToken, pathOf } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

type Line = Record<string, unknown>

/** The lines that a piece of work adds to the log. */
async function logged(work: () => Promise<unknown>): Promise<readonly Line[]> {
  const before = world.logLines.length
  await work()
  return world.logLines.slice(before).map((line) => JSON.parse(line))
}

async function rawLogged(target: string): Promise<string> {
  const before = world.logLines.length
  await askExactly(world, target, { headers: ['Authorization', bearer(world, 'writer/write')] })
  return world.logLines.slice(before).join('')
}

// conformance: Operation / Every decision is one log line
// conformance: Attacks / 45. An attacker makes a change that the journal does not show
test('an issued token is one line that says who, what, where and how long', async () => {
  const as = 'writer/write'
  const lines = await logged(async () => {
    const { headers } = await ask(world, 'write models/acme/bert@main', { as })
    return headers
  })
  const account = await world.done('account show', { account: 'writer' })
  const { items } = await world.done('hub-token list', { account: 'writer' })
  const token = (items as { id: string; name: string }[]).find(({ name }) => name === 'write')
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      event: 'token_issued',
      outcome: 'issued',
      subject: account['id'],
      account: 'writer',
      hubToken: token?.id,
      jti: expect.stringMatching(/^[a-z2-7]{26}$/),
      repository: 'models/acme/bert',
      ref: 'main',
      scope: 'write',
      address: '127.0.0.1',
      requestId: expect.stringMatching(/^[a-z2-7]{26}$/),
      milliseconds: expect.any(Number),
    },
  ])
})

// conformance: Operation / Every decision is one log line
test('a refused request is one line with the code and the request id of the answer', async () => {
  let requestId: string | null = null
  const lines = await logged(async () => {
    const told = await ask(world, 'write models/acme/bert@main', { as: 'reader/write' })
    requestId = told.headers.get('x-request-id')
  })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({
    event: 'token_refused',
    outcome: 'refused',
    code: 'permission_denied',
    repository: 'models/acme/bert',
    scope: 'write',
    requestId,
  })
})

// conformance: Operation / Every decision is one log line
test('a request without a valid hub token is logged without a subject', async () => {
  const lines = await logged(() => ask(world, 'read models/acme/bert@main'))
  expect(lines[0]).toMatchObject({ event: 'token_refused', code: 'hub_token_missing' })
  expect(lines[0]).not.toHaveProperty('subject')
  expect(lines[0]).not.toHaveProperty('hubToken')
})

test('a revoked hub token and the address of its client are logged with the refusal', async () => {
  const { id, token } = await world.done('hub-token create', {
    ...{ account: 'writer', name: 'leaked', kind: 'read' },
  })
  await world.done('hub-token revoke', { hubToken: String(id) })
  const headers = { authorization: `Bearer ${token}` }
  for (const path of [pathOf('read models/acme/bert@main'), '/api/whoami', '/admin/v1/accounts']) {
    const lines = await logged(() => ask(world, path, { headers }))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      ...{ code: 'hub_token_invalid', account: 'writer', hubToken: id, address: '127.0.0.1' },
    })
  }
})

// conformance: Attacks / 31. An attacker reads a secret in a log or table, or forges a log line
test('query strings and header values are never logged', async () => {
  const before = world.logLines.length
  for (const path of [pathOf('read models/acme/bert@main'), '/nowhere', '/healthz']) {
    await ask(world, `${path}?secret=canary-in-query`, {
      as: 'writer/write',
      headers: { 'user-agent': 'canary-agent', cookie: 'canary=cookie', referer: 'http://canary/' },
    })
  }
  expect(world.logLines.slice(before).join('')).not.toContain('canary')
})

// conformance: Attacks / 31. An attacker reads a secret in a log or table, or forges a log line
test('a hub token that ends up in the path is not logged', async () => {
  const token = hubToken(world, 'writer/write')
  const text = await rawLogged(`/api/models/acme/bert/storage-read-token/${token}`)
  expect(text).toContain('[hub-token]')
  expect(text).not.toContain(token)
  expect(text).not.toContain(token.slice(3, 46))
})

// conformance: Attacks / 31. An attacker reads a secret in a log or table, or forges a log line
test('an access token that ends up in the path is not logged', async () => {
  const { json } = await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
  const token = String(json.accessToken)
  const text = await rawLogged(`/api/models/acme/bert/storage-read-token/${token}`)
  for (const part of token.split('.')) expect(text).not.toContain(part)
})

// conformance: Attacks / 31. An attacker reads a secret in a log or table, or forges a log line
test('a line break in the path cannot forge a line of the log', async () => {
  const forged = encodeURIComponent('x\n{"level":"info","event":"token_issued"}\r\n')
  const text = await rawLogged(`/api/models/acme/bert/storage-read-token/${forged}`)
  expect(text.trimEnd().split('\n')).toHaveLength(1)
  expect(JSON.parse(text)).toMatchObject({ event: 'token_refused' })
})

// conformance: Attacks / 31. An attacker reads a secret in a log or table, or forges a log line
test('control and bidirectional characters are escaped in the log', async () => {
  const odd = [
    '\u001b',
    '\u0007',
    '\u007f',
    '\u0085',
    '\u009b',
    '\u200f',
    '\u202e',
    '\u2028',
    '\u2066',
  ]
  const text = await rawLogged(
    `/api/models/acme/bert/storage-read-token/${encodeURIComponent(`a${odd.join('b')}c`)}`,
  )
  for (const character of odd) expect(text.trimEnd()).not.toContain(character)
  expect(JSON.parse(text)).toMatchObject({ ref: `a${odd.join('b')}c` })
})

// conformance: Operation / Every decision is one log line
test('every event of the log has a name from a closed list and a level', () => {
  const names = new Set(world.logLines.map((line) => String(JSON.parse(line).event)))
  const known = [
    'hub_started',
    'whoami_requested',
    'admin_called',
    'token_issued',
    'token_refused',
    'token_checked',
  ]
  for (const name of names) expect(known).toContain(name)
})
