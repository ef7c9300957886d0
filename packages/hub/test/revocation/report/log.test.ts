/** What the log, the metrics and the journal tell of a report: counts, and no token. */

import { acme } from '@latchkey/testing/hub/acme'
import { ask, hubToken } from '@latchkey/testing/hub/ask'
import { startWorld } from '@latchkey/testing/hub/world'
import { expect, onTestFinished, test } from 'vitest'
import { post } from './post.ts'
import { cutsIn, tokenFor } from './taken-back.ts'

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
test('a report is one line with counts, whatever its tokens were, and none of them is anywhere', async () => {
  const world = await startWorld(acme)
  onTestFinished(() => world.close())
  const live = await tokenFor(world, 'read models/acme/bert@main', 'writer/write')
  const secret = hubToken(world, 'guest/write')
  const invented = `lk_${'a'.repeat(49)}`
  const odd = 'sixteen-letters-and-more'
  const accepted = [
    await post(world, { tokens: [live, secret] }),
    await post(world, { tokens: [invented, odd] }),
  ]
  await post(world, `{"token":"${odd}"`)
  const lines = world.logLines
    .filter((line) => line.includes('revoke_posted'))
    .map((line) => JSON.parse(line))
  const line = {
    ...{ level: 'info', event: 'revoke_posted', time: expect.any(String) },
    address: '127.0.0.1',
    milliseconds: expect.any(Number),
  }
  expect(lines).toEqual([
    ...accepted.map(({ headers }) => {
      const requestId = headers.get('x-request-id')
      return { ...line, tokens: 2, outcome: 'accepted', requestId }
    }),
    { ...line, outcome: 'bad_request', requestId: expect.any(String) },
  ])
  const ids = world.logLines
    .filter((one) => one.includes('tokens_revoked'))
    .map((one) => JSON.parse(one))
  const { items } = await world.done('hub-token list', { account: 'guest', state: 'revoked' })
  const { jti } = JSON.parse(Buffer.from(live.split('.')[1] ?? '', 'base64url').toString())
  expect(ids).toMatchObject([
    {
      hubTokens: (items as { id: string }[]).map(({ id }) => id),
      storageTokens: [jti],
      requestIds: [accepted[0]?.headers.get('x-request-id')],
    },
  ])
  const { text: metrics } = await ask(world, '/metrics')
  expect(metrics).toContain('latchkey_revoke_posts_total{outcome="accepted"} 2')
  expect(metrics).toContain('latchkey_revoke_posts_total{outcome="bad_request"} 1')
  const told = JSON.stringify([world.logLines, metrics, await cutsIn(world)])
  for (const token of [live.split('.')[2] ?? '', secret.slice(3), invented, odd]) {
    expect(told).not.toContain(token.slice(0, 16))
  }
})

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
test('the entry in the journal has the request id of the report, and nobody as its actor', async () => {
  const world = await startWorld(acme)
  onTestFinished(() => world.close())
  const token = await tokenFor(world, 'read models/acme/bert@main', 'writer/write')
  const { headers } = await post(world, { token })
  const { entries } = await cutsIn(world)
  expect(entries.at(-1)).toMatchObject({
    ...{ verb: 'revoke', actor_account: null, actor_hub_token: null, actor_user: null },
    request_id: headers.get('x-request-id'),
  })
})
