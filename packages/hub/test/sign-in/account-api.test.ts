/** An account manages its own hub tokens and sessions over the API. */

import { startWorld } from '@latchkey/testing/hub/world'
import { expect, onTestFinished, test } from 'vitest'
import { signIn, visit } from './browser.ts'

// conformance: Attacks / 79. An attacker makes something lasting from something short-lived
test('lists and revokes its own hub tokens and sessions, and those of nobody else', async () => {
  const world = await startWorld({
    accounts: [{ name: 'ada' }, { name: 'ben' }],
    hubTokens: [
      { account: 'ada', name: 'laptop', kind: 'write' },
      { account: 'ada', name: 'reading', kind: 'read' },
      {
        ...{ account: 'ada', name: 'fine', kind: 'fine-grained' },
        grants: [{ on: '*', contents: 'write' }],
      },
      { account: 'ben', name: 'laptop', kind: 'write' },
    ],
  })
  onTestFinished(() => world.close())
  const ask = async (who: string, path: string, method = 'GET') => {
    const authorization = `Bearer ${world.tokens[who]?.reveal()}`
    const answer = await fetch(`${world.hub.url}/account/v1/${path}`, {
      method,
      headers: { authorization },
    })
    // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what it must be
    const json: any = await answer.json()
    return { status: answer.status, json }
  }
  const cookie = await signIn(world, 'ada/laptop')
  const tokens = await ask('ada/laptop', 'hub-tokens')
  expect(tokens.json.items.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    ...['fine', 'laptop', 'reading'],
  ])
  expect(JSON.stringify(tokens.json)).not.toMatch(/lks?_/)
  const [session] = (await ask('ada/laptop', 'sessions')).json.items
  expect(session).toMatchObject({ lastSeenAt: '2027-01-15T08:00:00Z' })
  for (const restricted of ['ada/reading', 'ada/fine']) {
    for (const path of ['hub-tokens', 'sessions']) {
      expect((await ask(restricted, path)).status).toBe(403)
    }
    expect((await ask(restricted, `sessions/${session.id}/revoke`, 'POST')).status).toBe(403)
  }
  expect((await ask('ben/laptop', `sessions/${session.id}/revoke`, 'POST')).status).toBe(404)
  expect((await visit(world, '/account', { cookie })).status).toBe(200)
  expect((await ask('ada/laptop', `sessions/${session.id}/revoke`, 'POST')).status).toBe(200)
  expect((await visit(world, '/account', { cookie })).status).toBe(303)
  const { id } = tokens.json.items.find(({ name }: { name: string }) => name === 'reading')
  expect((await ask('ada/laptop', `hub-tokens/${id}/revoke`, 'POST')).status).toBe(200)
  expect((await ask('ada/reading', 'hub-tokens')).status).toBe(401)
})
