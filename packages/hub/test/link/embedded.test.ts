/** The embedded storage's credential: in memory only, and for the link only. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { verbs } from '@latchkey/admin-api'
import { ask } from '@latchkey/testing/hub/ask'
import { expect, test } from 'vitest'
import { hashHubToken } from '../../src/identity/hub-token.ts'
import { exampleOf } from '../admin/example-path.ts'
import { askLink, everyQuestion, startLinked } from './ask-link.ts'

test('every route of the link takes it', async () => {
  const world = await startLinked()
  const as = world.hub.embedded.credential
  for (const [what, asked] of everyQuestion) {
    expect((await askLink(world, what, { ...asked, as })).status, what).toBe(200)
  }
})

test('no other route takes it', async () => {
  const world = await startLinked()
  const as = world.hub.embedded.credential
  const routes = verbs.map((verb) => [verb.method, `/admin/v1${exampleOf(verb)}`] as const)
  const others = [
    ...routes,
    ['GET', '/api/whoami'],
    ['GET', 'read models/acme/open@main'],
    ['GET', 'write models/acme/bert@main'],
    ['HEAD', 'read models/acme/open@main'],
  ] as const
  for (const [method, path] of others) {
    expect([method, path, (await ask(world, path, { as, method })).status]).toEqual([
      method,
      path,
      401,
    ])
  }
})

test('one character more, less or other is refused', async () => {
  const world = await startLinked()
  const { credential } = world.hub.embedded
  const text = credential.reveal()
  const last = text.endsWith('0') ? '1' : '0'
  for (const wrong of [
    `${text}0`,
    text.slice(0, -1),
    text.slice(0, -1) + last,
    text.toUpperCase(),
  ]) {
    const headers = { authorization: `Bearer ${wrong}` }
    expect((await askLink(world, 'changes', { as: undefined, headers })).status).toBe(401)
  }
})

test('every start makes another one', async () => {
  const [one, other] = [await startLinked(), await startLinked()]
  const as = one.hub.embedded.credential
  expect((await askLink(other, 'changes', { as })).status).toBe(401)
})

test('it is in no file, no log line and no metric, nor is its hash', async () => {
  const world = await startLinked()
  const { credential } = world.hub.embedded
  for (const [what, asked] of everyQuestion)
    await askLink(world, what, { ...asked, as: credential })
  await ask(world, 'read models/acme/open@main', { as: credential })
  const { text: metrics } = await ask(world, '/metrics')
  const { data } = world.settings
  const files = readdirSync(data).map((name) => readFileSync(join(data, name), 'latin1'))
  expect(files.length).toBeGreaterThan(1)
  const everything = [...files, metrics, ...world.logLines].join('\n')
  for (const secret of [credential.reveal(), hashHubToken(credential)]) {
    expect(everything).not.toContain(secret.slice(9, 40))
  }
  expect(JSON.stringify(world.hub.embedded)).not.toContain(credential.reveal())
})
