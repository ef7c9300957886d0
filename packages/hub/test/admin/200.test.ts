import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { hash } from '../verbs/open-directory.ts'
import { openAdmin, requestId } from './open-admin.ts'

const bert = '/repositories/models/acme/bert'

test('making something is answered with 201, everything else with 200', async () => {
  const { call } = await openAdmin()
  const steps = [
    ['POST', '/accounts', { name: 'ada' }, 201],
    ['GET', '/accounts', undefined, 200],
    ['GET', '/accounts/ada', undefined, 200],
    ['PATCH', '/accounts/ada', { administrator: true }, 200],
    ['POST', '/namespaces', { name: 'acme' }, 201],
    ['PUT', '/namespaces/acme/members/ada', { role: 'admin' }, 200],
    ['GET', '/namespaces/acme/members', undefined, 200],
    ['POST', '/namespaces/acme/teams', { team: 'curators', role: 'write' }, 201],
    ['PUT', '/namespaces/acme/teams/curators/members/ada', {}, 200],
    ['GET', '/namespaces/acme/teams/curators/members', undefined, 200],
    ['PATCH', '/namespaces/acme/teams/curators', { role: 'none' }, 200],
    ['POST', '/repositories', { repository: 'models/acme/bert' }, 201],
    ['GET', '/repositories?namespace=acme', undefined, 200],
    ['PATCH', bert, { visibility: 'public' }, 200],
    ['PUT', `${bert}/refs/main`, { commit: hash(1) }, 200],
    ['PUT', `${bert}/refs/refs%2Fpr%2F1`, { from: 'main' }, 200],
    ['PUT', `${bert}/refs/main`, { commit: hash(2), expect: hash(1) }, 200],
    ['GET', `${bert}/refs/refs%2Fpr%2F1`, undefined, 200],
    ['POST', `${bert}/commits`, { hash: hash(3), on: ['main'] }, 200],
    ['GET', `${bert}/commits`, undefined, 200],
    ['PUT', `${bert}/ref-rules/release%2F*`, { write: 'admin' }, 200],
    ['DELETE', `${bert}/ref-rules/release%2F*`, undefined, 200],
    ['PUT', `${bert}/collaborators/ada`, { role: 'read' }, 200],
    ['DELETE', `${bert}/collaborators/ada`, undefined, 200],
    ['PUT', `${bert}/teams/curators`, { role: 'read' }, 200],
    ['GET', `${bert}/teams`, undefined, 200],
    ['DELETE', `${bert}/teams/curators`, undefined, 200],
    ['PUT', '/namespaces/acme/teams/curators/groups/corp/%2Fa%2Fb', {}, 200],
    ['GET', '/namespaces/acme/teams/curators/groups', undefined, 200],
    ['DELETE', '/namespaces/acme/teams/curators/groups/corp/%2Fa%2Fb', undefined, 200],
    ['DELETE', '/namespaces/acme/teams/curators/members/ada', undefined, 200],
    ['DELETE', '/namespaces/acme/teams/curators', undefined, 200],
    ['POST', '/hub-tokens', { account: 'ada', name: 'x', kind: 'write' }, 201],
    ['GET', '/hub-tokens', undefined, 200],
    ['POST', '/keys/rotate', {}, 200],
    ['GET', '/keys', undefined, 200],
    ['GET', '/explain?scope=write&repository=models/acme/bert&account=ada', undefined, 200],
    ['POST', '/apply', { file: { accounts: [{ name: 'bob' }] } }, 200],
    ['DELETE', `${bert}/refs/main`, undefined, 200],
    ['DELETE', bert, undefined, 200],
    ['DELETE', '/namespaces/acme/members/ada', undefined, 200],
    ['DELETE', '/namespaces/acme', undefined, 200],
    ['PATCH', '/accounts/bob', { administrator: true }, 200],
    ['DELETE', '/accounts/ada', undefined, 200],
  ] as const
  for (const [method, path, body, status] of steps) {
    const response = await call(method, path, { body })
    expect([method, path, response.statusCode, response.body]).toEqual([
      method,
      path,
      status,
      expect.any(String),
    ])
    expect(response.headers['content-type']).toMatch(/^application\/json/)
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-request-id': requestId,
    })
  }
})

test('a ref of the longest name is found by its path', async () => {
  const { call, apply } = await openAdmin()
  const name = 'é'.repeat(127)
  const repositories = [{ type: 'model', id: 'acme/bert', branches: { [name]: hash(1) } }]
  await apply({ namespaces: [{ name: 'acme' }], repositories })
  const response = await call('GET', `${bert}/refs/${encodeURIComponent(name)}`)
  expect(response.json()).toMatchObject({ name: `refs/heads/${name}` })
})

test('a verb without further input needs no body', async () => {
  const { call, done } = await openAdmin()
  await done('account create', { name: 'ada' })
  const { id } = await done('hub-token create', { account: 'ada', name: 'x', kind: 'read' })
  const response = await call('POST', `/hub-tokens/${id}/revoke`)
  expect(response.json()).toMatchObject({ revokedAt: expect.any(String) })
})

test('HEAD is answered like GET', async () => {
  const { call } = await openAdmin()
  const response = await call('HEAD', '/accounts')
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toMatch(/^application\/json/)
})

test('a new hub token is shown in the answer that makes it, and in no other', async () => {
  const { call, done, logged } = await openAdmin()
  await done('account create', { name: 'ada' })
  const body = { account: 'ada', name: 'laptop', kind: 'write' }
  const { token, id } = (await call('POST', '/hub-tokens', { body })).json()
  expect(token).toMatch(/^lk_[0-9A-Za-z]{49}$/)
  for (const path of ['/hub-tokens', `/hub-tokens/${id}`]) {
    expect((await call('GET', path)).body).not.toContain(token)
  }
  expect(inspect(logged)).not.toContain(token)
})

test('apply answers with the tokens that it made', async () => {
  const { call } = await openAdmin()
  const file = {
    accounts: [{ name: 'ada' }],
    hubTokens: [{ account: 'ada', name: 'laptop', kind: 'read' }],
  }
  const applied = (await call('POST', '/apply', { body: { file } })).json()
  expect(applied.hubTokens).toEqual([
    { account: 'ada', name: 'laptop', token: expect.stringMatching(/^lk_/) },
  ])
  expect((await call('POST', '/apply', { body: { file, prune: true } })).json()).toEqual({
    changes: [],
    hubTokens: [],
  })
})
