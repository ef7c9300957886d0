/** A token that another hub on the same database has just signed with a new key is taken back here too. */

import { startHub } from '@latchkey/hub'
import { acme } from '@latchkey/testing/hub/acme'
import { hubToken } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { expect, onTestFinished, test } from 'vitest'
import { post } from './post.ts'
import { isDead, tokenFor } from './taken-back.ts'

/** `here` has not used any key since the other hub got another one. */
async function hubs(): Promise<{ readonly here: World; readonly token: string }> {
  const here = await startWorld(acme)
  onTestFinished(() => here.close())
  const lines = { write() {}, async close() {} }
  const hub = await startHub(here.settings, { clock: here.now, lines })
  onTestFinished(() => hub.stop())
  await here.done('keys rotate', { compromised: true })
  const token = await tokenFor({ ...here, hub }, 'read models/acme/bert@main', 'writer/write')
  expect(await isDead(here, token)).toBe(false)
  return { here, token }
}

test('by a report', async () => {
  const { here, token } = await hubs()
  expect((await post(here, { token })).status).toBe(202)
  expect(await isDead(here, token)).toBe(true)
})

test('by an administrator', async () => {
  const { here, token } = await hubs()
  const response = await fetch(`${here.hub.url}/admin/v1/revocations/token`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${hubToken(here, 'maintainer/admin')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ token }),
  })
  expect(await response.json()).toMatchObject({ revoked: true })
  expect(await isDead(here, token)).toBe(true)
})
