import { createLog } from '@latchkey/service/observe/log'
import { expect, test } from 'vitest'
import { logAdminCall } from '../../src/operations/admin-call.ts'
import { levelOf } from '../../src/operations/log-events.ts'
import { openAdmin, requestId } from './open-admin.ts'

/** The admin API with the lines that its calls leave in the log. */
async function openLogged() {
  const lines: string[] = []
  const log = createLog({ levelOf, level: 'info', write: (line) => void lines.push(line) })
  const opened = await openAdmin({ logAdminCall: (call) => logAdminCall(log, call) })
  const last = (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '{}')
  return { ...opened, lines, last }
}

const actor = { subject: 'admin-account', account: 'root', hubToken: 'admin-token' }
const commit = 'a'.repeat(40)

// conformance: Attacks / 11. An attacker uses an admin hub token for storage or beyond its scopes
test('every call is logged once, with who did what to what and how it ended', async () => {
  const { call, logged } = await openAdmin()
  await call('POST', '/accounts', { body: { name: 'ada' } })
  await call('POST', '/accounts', { body: { name: 'ada' } })
  await call('POST', '/accounts', { body: '{' })
  await call('GET', '/accounts/ada', { as: '' })
  await call('GET', '/keys', { as: 'accounts' })
  const ended = { address: '127.0.0.1', requestId, milliseconds: expect.any(Number) }
  const done = { outcome: 'done', code: undefined, ...ended }
  const refused = (code: unknown) => ({ outcome: 'refused', code, ...ended })
  const asked = { name: 'ada', kind: 'user', administrator: false, disabled: false }
  const made = { ...asked, id: expect.stringMatching(/^[a-z2-7]{26}$/) }
  expect(logged).toEqual([
    { verb: 'account create', actor, target: made, ...done },
    { verb: 'account create', actor, target: asked, ...refused('conflict') },
    { verb: 'account create', actor, target: {}, ...refused(expect.any(String)) },
    {
      verb: 'account show',
      actor: {},
      target: { account: 'ada' },
      ...refused('hub_token_missing'),
    },
    { verb: 'keys list', actor, target: {}, ...refused('permission_denied') },
  ])
})

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
test('every change names its target: account, namespace, repository, ref, hub token', async () => {
  const { call, last, done } = await openLogged()
  const repository = 'models/acme/bert'
  await done('account create', { name: 'ada' })
  const changes = [
    ['POST', '/namespaces', { name: 'acme' }, { name: 'acme' }],
    [
      'PUT',
      '/namespaces/acme/members/ada',
      { role: 'write' },
      { namespace: 'acme', account: 'ada', role: 'write' },
    ],
    [
      'POST',
      '/repositories',
      { repository, visibility: 'private' },
      { repository, visibility: 'private' },
    ],
    [
      'PATCH',
      `/repositories/${repository}`,
      { visibility: 'public' },
      { repository, visibility: 'public' },
    ],
    [
      'PUT',
      `/repositories/${repository}/collaborators/ada`,
      { role: 'read' },
      { repository, account: 'ada', role: 'read' },
    ],
    [
      'PUT',
      `/repositories/${repository}/ref-rules/main`,
      { write: 'admin' },
      { repository, pattern: 'main', write: 'admin' },
    ],
    [
      'PUT',
      `/repositories/${repository}/refs/dev`,
      { commit },
      { repository, ref: 'refs/heads/dev', commit },
    ],
    [
      'POST',
      `/repositories/${repository}/commits`,
      { hash: commit, on: ['dev'] },
      { repository, hash: commit },
    ],
    [
      'DELETE',
      `/repositories/${repository}/refs/dev`,
      undefined,
      { repository, ref: 'refs/heads/dev' },
    ],
    ['PATCH', '/accounts/ada', { disabled: true }, { account: 'ada', disabled: true }],
    [
      'POST',
      '/hub-tokens',
      { account: 'ada', name: 'ci', kind: 'read' },
      { account: 'ada', name: 'ci', kind: 'read', id: expect.any(String) },
    ],
  ] as const
  for (const [method, path, body, target] of changes) {
    const { statusCode, body: told } = await call(method, path, { body })
    expect([path, statusCode < 300, told]).toEqual([path, true, told])
    expect(last()).toMatchObject({ event: 'admin_called', ...actor, outcome: 'done', target })
  }
  const { items } = await done('hub-token list')
  const [{ id }] = items as [{ id: string }]
  await call('POST', `/hub-tokens/${id}/revoke`)
  expect(last()).toMatchObject({ target: { hubToken: id, account: 'ada', name: 'ci' } })
})

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
test('a directory file leaves one line for each change that it makes', async () => {
  const { call, lines } = await openLogged()
  const file = {
    accounts: [{ name: 'ada' }],
    hubTokens: [{ account: 'ada', name: 'ci', kind: 'read' }],
  }
  await call('POST', '/apply', { body: { file } })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'admin_called', ...actor, verb: 'apply', outcome: 'done', changes: 2, requestId },
    { event: 'admin_changed', ...actor, did: 'created', target: { account: 'ada' }, requestId },
    {
      event: 'admin_changed',
      ...actor,
      did: 'created',
      target: { account: 'ada', name: 'ci' },
      requestId,
    },
  ])
})

test('a value that names no target does not reach the log', async () => {
  const { call, lines } = await openLogged()
  await call('GET', '/accounts?after=canary&limit=canary')
  await call('POST', '/accounts', { body: { name: 'ada', canary: 'canary' } })
  await call('POST', '/apply', { body: { file: '{"canary": "canary"}' } })
  expect(lines).toHaveLength(3)
  expect(lines.join('')).not.toContain('canary')
})

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
test('no hub token reaches the log, made by a call or typed in place of a name', async () => {
  const { call, lines, done } = await openLogged()
  await done('account create', { name: 'ada' })
  const made = await call('POST', '/hub-tokens', {
    body: { account: 'ada', name: 'ci', kind: 'read' },
  })
  const { token } = made.json()
  expect(token).toMatch(/^lk_/)
  await call('GET', `/accounts/${token}`)
  await call('GET', `/accounts/${token}`, { as: '' })
  await call('POST', '/accounts', { body: { name: token } })
  await call('GET', `/accounts/${'x'.repeat(290)}${token}`)
  await call('POST', '/apply', {
    body: { file: { hubTokens: [{ account: 'ada', name: token, kind: 'read' }] } },
  })
  expect(lines).toHaveLength(6)
  expect(lines.join('')).not.toContain(token.slice(0, 12))
})

test('a name cannot forge a line, hide text or make a line long', async () => {
  const { call, lines } = await openLogged()
  const forged = encodeURIComponent(`x\n{"event":"admin_called"}\u202e${'y'.repeat(9000)}`)
  await call('GET', `/accounts/${forged}`)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^[^\n\u202e]{1,800}\n$/)
})
