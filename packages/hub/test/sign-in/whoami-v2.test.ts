/** `/api/whoami-v2`, which clients of Hugging Face ask after a login. */

import { startWorld } from '@latchkey/testing/hub/world'
import { expect, onTestFinished, test } from 'vitest'

test('names the account, its namespaces and the hub token, and no name for a device login', async () => {
  const world = await startWorld({
    accounts: [{ name: 'ada' }],
    namespaces: [{ name: 'acme', members: { ada: 'write' } }, { name: 'other' }],
    hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
  })
  onTestFinished(() => world.close())
  const ask = async (authorization?: string) => {
    const headers = { accept: '*/*', ...(authorization && { authorization }) }
    const answer = await fetch(`${world.hub.url}/api/whoami-v2`, { headers })
    return { status: answer.status, json: await answer.json() }
  }
  const bearer = `Bearer ${world.tokens['ada/laptop']?.reveal()}`
  const token = { role: 'write', createdAt: '2027-01-15T08:00:00Z' }
  const { status, json } = await ask(bearer)
  expect([status, json]).toEqual([
    200,
    {
      ...{ type: 'user', id: expect.any(String), name: 'ada', fullname: 'ada' },
      ...{ isPro: false, canPay: false },
      orgs: [
        { type: 'org', name: 'acme', fullname: 'acme', roleInOrg: 'write', isEnterprise: false },
      ],
      auth: { type: 'access_token', accessToken: { displayName: 'laptop', ...token } },
    },
  ])
  await world.store.directory.note('last use', async ({ tables }) => {
    await tables.updateTable('hub_tokens').set({ origin: 'device' }).execute()
  })
  expect((await ask(bearer)).json).toMatchObject({ auth: { accessToken: token } })
  expect((await ask(bearer)).json).not.toHaveProperty('auth.accessToken.displayName')
  for (const wrong of [undefined, 'Bearer lk_nobody', 'Basic YTpi']) {
    expect((await ask(wrong)).status).toBe(401)
  }
})
