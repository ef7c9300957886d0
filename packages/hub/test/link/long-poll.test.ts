/** `GET /link/v1/changes?wait=…`: answered by the next entry, and by the end of the credential. */

import type { World } from '@latchkey/testing/hub/world'
import { expect, test } from 'vitest'
import { askLink, bert, headOf, startLinked, type Told, uidOf } from './ask-link.ts'

async function waiting(world: World, as = 'cas/link'): Promise<{ answer: Promise<Told> }> {
  const answer = askLink(world, `changes?after=${await headOf(world)}&wait=60`, { as })
  // The hub has most likely begun to wait when it has answered a later question; the tests hold either way.
  await askLink(world, 'changes', { as: 'cas/other' })
  return { answer }
}

test('a question that waits is answered by the next removal', async () => {
  const world = await startLinked()
  const uid = await uidOf(world, 'dev')
  const { answer } = await waiting(world)
  await world.done('ref delete', { repository: bert, ref: 'dev' })
  expect((await answer).json).toMatchObject({ removed: [uid], complete: true })
})

test('and by an entry that removes nothing', async () => {
  const world = await startLinked()
  const { answer } = await waiting(world)
  await world.done('account set', { account: 'ada', disabled: true })
  expect((await answer).json).toMatchObject({ removed: [], number: await headOf(world) })
})

test('a question without a number does not wait', async () => {
  const world = await startLinked()
  expect((await askLink(world, 'changes?wait=60')).status).toBe(200)
})

test('a wait that is over is answered with the number that was asked for', async () => {
  const world = await startLinked()
  const after = await headOf(world)
  const { json } = await askLink(world, `changes?after=${after}&wait=1`)
  expect(json).toEqual({ number: after, removed: [], complete: true })
})

test('the embedded storage waits likewise', async () => {
  const world = await startLinked()
  const as = world.hub.embedded.credential
  const answer = askLink(world, `changes?after=${await headOf(world)}&wait=60`, { as })
  await world.done('ref delete', { repository: bert, ref: 'dev' })
  expect((await answer).json['removed']).toHaveLength(1)
})

test('a hub token that is revoked meanwhile is refused at once', async () => {
  const world = await startLinked()
  const { items } = await world.done('hub-token list', { account: 'cas' })
  const hubToken = (items as { id: string; name: string }[]).find(({ name }) => name === 'link')?.id
  const { answer } = await waiting(world)
  await world.done('hub-token revoke', { hubToken })
  expect((await answer).status).toBe(401)
})

test('an account that is disabled meanwhile is refused at once', async () => {
  const world = await startLinked()
  const { answer } = await waiting(world)
  await world.done('account set', { account: 'cas', disabled: true })
  expect((await answer).status).toBe(401)
})

test('a hub token that ends meanwhile is refused when it ends, without any entry', async () => {
  const world = await startLinked()
  const { items } = await world.done('hub-token list', { account: 'cas' })
  const hubToken = (items as { id: string; name: string }[]).find(({ name }) => name === 'link')?.id
  const expiresAt = new Date((world.now() + 1) * 1000).toISOString()
  await world.done('hub-token set', { hubToken, expiresAt })
  const started = performance.now()
  const { answer } = await waiting(world)
  world.passSeconds(1)
  expect((await answer).status).toBe(401)
  expect(performance.now() - started).toBeLessThan(50_000)
})

test('administrators who wait take no slot of a storage', async () => {
  const world = await startLinked({ stopDeadlineSeconds: 600 })
  const names = Array.from({ length: 33 }, (_, index) => `admin${index}`)
  const made = names.map((name) => ({ account: 'root', name, kind: 'admin' }))
  await world.apply({ hubTokens: made })
  const after = await headOf(world)
  const leaving = new AbortController()
  const asAdmin = (name: string | undefined) =>
    fetch(`${world.hub.url}/admin/v1/changes?after=${after}&wait=60`, {
      headers: { authorization: `Bearer ${world.tokens[`root/${name}`]?.reveal()}` },
      signal: leaving.signal,
    }).then((answer) => answer.json() as Promise<{ items: readonly unknown[] }>)
  const ofEach = names
    .slice(0, 32)
    .flatMap((name) => Array.from({ length: 8 }, () => asAdmin(name)))
  const { answer } = await waiting(world)
  // All slots of administrators are taken once one more is answered without news.
  const { items } = await Promise.race([asAdmin(names[32]), ...ofEach])
  expect(items).toEqual([])
  await world.done('ref delete', { repository: bert, ref: 'dev' })
  expect((await answer).json['removed']).toHaveLength(1)
  leaving.abort()
  await Promise.allSettled(ofEach)
})

test('a hub that stops answers a storage that waits, and is not kept by it', async () => {
  const world = await startLinked({ stopDeadlineSeconds: 600 })
  const { answer } = await waiting(world)
  const stopped = world.hub.stop()
  expect([200, 503]).toContain((await answer).status)
  await stopped
})
