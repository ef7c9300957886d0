import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, bearer } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { revoke } from './changes.ts'
import { codeOf } from './compare.ts'
import { readAnswer, requestText } from './raw-answers.ts'

const repository = 'models/acme/bert'

let world: World
beforeEach(async () => {
  world = await startWorld(acme)
})
afterEach(() => world.close())

interface Change {
  readonly as: string
  readonly what?: string
  readonly refused: readonly [number, string]
  change(): Promise<unknown>
}

/** The request is answered from the cache, then something changes, then the same request is refused. */
async function expectRefusedAfter({
  as,
  what = `write ${repository}@main`,
  refused,
  change,
}: Change) {
  for (const _ of [1, 2]) expect((await ask(world, what, { as })).status).toBe(200)
  await change()
  expect(codeOf(await ask(world, what, { as }))).toEqual(refused)
}

const invalid = [401, 'hub_token_invalid'] as const
const denied = [403, 'permission_denied'] as const

// conformance: Operation / Changes take effect with the next request
test('the request after the revocation of a hub token is refused', async () => {
  const change = () => revoke(world, 'writer', 'write')
  await expectRefusedAfter({ as: 'writer/write', refused: invalid, change })
})

// conformance: Guarantees / A change takes effect with the next request
// conformance: Operation / Changes take effect with the next request
test('the request after an account is disabled is refused, for all its hub tokens', async () => {
  const change = () => world.done('account set', { account: 'writer', disabled: true })
  await expectRefusedAfter({ as: 'writer/write', refused: invalid, change })
  const other = await ask(world, `read ${repository}@main`, { as: 'writer/read' })
  expect(codeOf(other)).toEqual(invalid)
})

// conformance: Operation / Changes take effect with the next request
test('the request after an account is deleted is refused', async () => {
  const change = () => world.done('account delete', { account: 'writer' })
  await expectRefusedAfter({ as: 'writer/write', refused: invalid, change })
})

// conformance: Operation / Changes take effect with the next request
test('the request after a role is lowered is refused', async () => {
  const change = () =>
    world.done('member set', { namespace: 'acme', account: 'writer', role: 'read' })
  await expectRefusedAfter({ as: 'writer/write', refused: denied, change })
})

// conformance: Operation / Changes take effect with the next request
test('the request after a member has left is refused', async () => {
  const change = () => world.done('member delete', { namespace: 'acme', account: 'writer' })
  await expectRefusedAfter({ as: 'writer/write', refused: denied, change })
})

// conformance: Operation / Changes take effect with the next request
test('the request after a collaborator is removed is refused', async () => {
  const change = () => world.done('collaborator delete', { repository, account: 'guest' })
  await expectRefusedAfter({ as: 'guest/write', refused: denied, change })
})

// conformance: Operation / Changes take effect with the next request
test('the request after a grant is narrowed is refused', async () => {
  const change = () =>
    world.apply({
      hubTokens: [
        {
          account: 'ci-bot',
          name: 'main-only',
          kind: 'fine-grained',
          grants: [{ on: repository, contents: 'read', refs: ['main'] }],
        },
      ],
    })
  await expectRefusedAfter({ as: 'ci-bot/main-only', refused: denied, change })
})

// conformance: Operation / Changes take effect with the next request
test('the request after a ref rule is tightened is refused', async () => {
  const change = () => world.done('ref-rule set', { repository, pattern: 'main', write: 'admin' })
  await expectRefusedAfter({ as: 'writer/write', refused: denied, change })
})

// conformance: Operation / Changes take effect with the next request
test('the request after a repository becomes private is refused', async () => {
  await expectRefusedAfter({
    as: 'stranger/write',
    what: 'read models/acme/open@main',
    refused: denied,
    change: () => world.done('repo set', { repository: 'models/acme/open', visibility: 'private' }),
  })
})

// conformance: Operation / Changes take effect with the next request
test('the request after a ref is deleted is refused', async () => {
  const change = () => world.done('ref delete', { repository, ref: 'main' })
  await expectRefusedAfter({ as: 'writer/write', refused: [404, 'revision_not_found'], change })
})

// conformance: Operation / Changes take effect with the next request
test('the request after a repository is deleted is refused', async () => {
  const change = () => world.done('repo delete', { repository })
  await expectRefusedAfter({ as: 'writer/write', refused: [404, 'repository_not_found'], change })
})

// conformance: Operation / Changes take effect with the next request
test('the request after something is allowed is answered', async () => {
  const asked = () => ask(world, 'write models/acme/open@next', { as: 'stranger/write' })
  expect((await asked()).status).toBe(403)
  await world.done('collaborator set', {
    repository: 'models/acme/open',
    account: 'stranger',
    role: 'write',
  })
  expect((await asked()).status).toBe(404)
  await world.done('ref set', {
    repository: 'models/acme/open',
    ref: 'next',
    commit: commit('4'),
  })
  expect((await asked()).status).toBe(200)
})

test('an admin hub token that is revoked while its request arrives changes nothing', async () => {
  const body = JSON.stringify({ name: 'backdoor' })
  const head = requestText(
    'POST /admin/v1/accounts HTTP/1.1',
    `Authorization: ${bearer(world, 'maintainer/admin')}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  )
  const socket = connect(Number(new URL(world.hub.url).port), '127.0.0.1')
  socket.write(head + body.slice(0, 5))
  // Long enough for the hub to have recognised the caller and to wait for the rest.
  await delay(200)
  await revoke(world, 'maintainer', 'admin')
  socket.write(body.slice(5))
  const { status, json } = readAnswer(await text(socket))
  expect([status, json['code']]).toEqual(invalid)
  const { items } = await world.done('account list', {})
  expect(JSON.stringify(items)).not.toContain('backdoor')
})
