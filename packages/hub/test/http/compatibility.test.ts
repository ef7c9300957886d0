import { acme } from '@latchkey/testing/hub/acme'
import { ask, claimsOf } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, gist } from './compare.ts'

let world: World
let plain: World
beforeAll(async () => {
  world = await startWorld(
    {
      ...acme,
      repositories: [
        ...acme.repositories,
        {
          type: 'model',
          id: 'acme/trunk',
          visibility: 'private',
          defaultBranch: 'trunk',
          branches: { trunk: '4'.repeat(40), main: '5'.repeat(40) },
          refRules: [{ pattern: 'trunk', write: 'admin' }],
        },
      ],
    },
    { compat: { huggingface: true }, hubTokenPrefix: 'hf_' },
  )
  plain = await startWorld(acme)
})
afterAll(async () => {
  await world.close()
  await plain.close()
})

const xet = (scope: string, revision: string, id = 'acme/bert') =>
  `/api/models/${id}/xet-${scope}-token/${revision}`

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('without the switch the path word of Hugging Face clients names no route', async () => {
  for (const scope of ['read', 'write']) {
    const told = await ask(plain, xet(scope, 'main'), { as: 'writer/write' })
    expect(codeOf(told), scope).toEqual([404, 'not_found'])
  }
})

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('without the switch None is a revision that cannot exist', async () => {
  const told = await ask(plain, 'read models/acme/bert@None', { as: 'writer/write' })
  expect(codeOf(told)).toEqual([404, 'revision_not_found'])
})

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('without the switch no answer carries the headers of Hugging Face clients', async () => {
  const { headers } = await ask(plain, 'read models/acme/bert@main', { as: 'writer/write' })
  for (const [name] of headers) expect(name).not.toMatch(/^x-xet-/)
})

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('the path word xet is refused in the same cases as the word storage', async () => {
  const asked = [
    ['read', 'main', undefined, 401],
    ['write', 'main', 'reader/write', 403],
    ['read', 'nowhere', 'reader/write', 404],
  ] as const
  for (const [scope, revision, as, status] of asked) {
    const one = await ask(world, xet(scope, revision), { as })
    const other = await ask(world, `${scope} models/acme/bert@${revision}`, { as })
    expect(one.status).toBe(status)
    expect(gist(one)).toEqual(gist(other))
  }
})

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('in compatibility mode refusals are plain JSON with an error sentence', async () => {
  const told = await ask(world, xet('write', 'main'), { as: 'reader/write' })
  expect(told.headers.get('content-type')).toBe('application/json')
  expect(told.json['error']).toBe(told.json['detail'])
})

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('the path word xet gives the token in the body and again in three headers', async () => {
  const { status, headers, json } = await ask(world, xet('read', 'main'), { as: 'reader/write' })
  expect(status).toBe(200)
  expect(headers.get('x-xet-access-token')).toBe(json.accessToken)
  expect(headers.get('x-xet-cas-url')).toBe(json.casUrl)
  expect(headers.get('x-xet-token-expiration')).toBe(String(json.exp))
})

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('the path word xet serves every form of revision, encoded once', async () => {
  for (const revision of [
    'refs%2Fpr%2F1',
    'feature%2Fx%231%252F%2B%C3%A9',
    'v1.0',
    'a'.repeat(40),
  ]) {
    const told = await ask(world, xet('read', revision), { as: 'reader/write' })
    expect(told.status, revision).toBe(200)
  }
})

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('None means the default branch, whatever it is called', async () => {
  const path = xet('read', 'None', 'acme/trunk')
  for (const asked of [path, path.replace('xet-', 'storage-')]) {
    expect(claimsOf(await ask(world, asked, { as: 'writer/write' }))).toMatchObject({
      ref: { name: 'refs/heads/trunk' },
      commit: '4'.repeat(40),
    })
  }
})

test('HEAD means the default branch on the path word xet, and is not found on the path word storage', async () => {
  const as = 'writer/write'
  for (const scope of ['read', 'write']) {
    const path = xet(scope, 'HEAD')
    for (const target of [path, `${path}?create_pr=1`]) {
      const told = await ask(world, target, { as })
      expect(claimsOf(told), target).toMatchObject({ ref: { name: 'refs/heads/main' } })
    }
    const told = await ask(world, path.replace('xet-', 'storage-'), { as })
    expect(codeOf(told), scope).toEqual([404, 'revision_not_found'])
  }
  const told = await ask(world, xet('read', 'HEAD', 'acme/trunk'), { as })
  expect(claimsOf(told)).toMatchObject({ ref: { name: 'refs/heads/trunk' } })
  const closed = await ask(world, xet('write', 'HEAD', 'acme/trunk'), { as })
  expect(codeOf(closed)).toEqual([403, 'permission_denied'])
})

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('None is judged by the rules of the default branch', async () => {
  const told = await ask(world, xet('write', 'None', 'acme/trunk'), { as: 'writer/write' })
  expect(codeOf(told)).toEqual([403, 'permission_denied'])
})

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('None where the default branch does not exist is not found', async () => {
  const repository = 'models/acme/empty'
  await world.done('repo create', { repository })
  await world.done('ref delete', { repository, ref: 'main' })
  const told = await ask(world, xet('read', 'None', 'acme/empty'), { as: 'writer/write' })
  expect(codeOf(told)).toEqual([404, 'revision_not_found'])
})

// conformance: Attacks / 7. An attacker uses a client quirk to change a decision
test('create_pr never changes the decision', async () => {
  const asked = [
    ['write', 'main', 'reader/write', 403],
    ['write', 'None', 'reader/write', 403],
    ['write', 'nowhere', 'writer/write', 404],
    ['write', 'main', 'writer/write', 200],
  ] as const
  for (const [scope, revision, as, status] of asked) {
    const one = await ask(world, `${xet(scope, revision)}?create_pr=1`, { as })
    expect([one.status, (await ask(world, xet(scope, revision), { as })).status]).toEqual([
      status,
      status,
    ])
  }
})

// conformance: Attacks / 7. An attacker uses a client quirk to change a decision
test('an odd revision is never mistaken for the default branch, in whichever order they are asked', async () => {
  for (const odd of ['%20default', 'default', '%20', '%20None']) {
    const one = await ask(world, xet('read', odd, 'acme/trunk'), { as: 'writer/write' })
    expect(codeOf(one), odd).toEqual([404, 'revision_not_found'])
    const none = await ask(world, xet('read', 'None', 'acme/trunk'), { as: 'writer/write' })
    expect(none.status, `None after ${odd}`).toBe(200)
    const again = await ask(world, xet('read', odd, 'acme/trunk'), { as: 'writer/write' })
    expect(codeOf(again), odd).toEqual([404, 'revision_not_found'])
  }
})

// conformance: Options / hubTokenPrefix accepts every prefix that was ever configured
test('a hub can give hub tokens the prefix that Hugging Face clients insist on', () => {
  expect(world.tokens['writer/write']?.reveal()).toMatch(/^hf_[0-9A-Za-z]{49}$/)
})
