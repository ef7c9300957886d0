/** A flood of reports delays no verb: it makes a transaction each quarter of a second, and no more. */

import { rounds } from '@latchkey/testing/chance'
import { acme } from '@latchkey/testing/hub/acme'
import { hubToken } from '@latchkey/testing/hub/ask'
import { startWorld } from '@latchkey/testing/hub/world'
import { expect, onTestFinished, test } from 'vitest'
import { windowMs } from '../../src/revoke/commit-windows.ts'
import { post } from './post.ts'
import { cutsIn, isDead, tokenFor } from './taken-back.ts'

const posts = rounds(300, 10_000)
const senders = rounds(50, 200)
const minutes = 60_000

const many = Array.from({ length: 20 }, (_, index) => ({
  account: 'writer',
  name: `ci-${index}`,
  kind: 'write',
}))

test(
  `verbs go on during ${posts} reports, and the reports are few transactions`,
  async () => {
    const world = await startWorld(
      { ...acme, hubTokens: [...acme.hubTokens, ...many] },
      { trustedProxies: ['127.0.0.1'] },
    )
    onTestFinished(() => world.close())
    const live = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        tokenFor(world, 'read models/acme/bert@main', `writer/ci-${index % 20}`),
      ),
    )
    let [next, isOver] = [0, false]
    const statuses = new Map<number, number>()
    const flood = async () => {
      for (let index = next++; index < posts; index = next++) {
        const headers = { 'x-forwarded-for': `10.0.${index >> 8}.${index & 255}` }
        const tokens = [live[index % live.length], `lk_${'a'.repeat(49)}`, 'invented']
        const { status } = await post(world, { tokens }, { headers })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const startedAt = performance.now()
    const flooding = Promise.all(Array.from({ length: senders }, flood)).then(() => {
      isOver = true
    })
    let [verbs, slowest] = [0, 0]
    do {
      const askedAt = performance.now()
      expect(await createAccount(world.hub.url, hubToken(world, 'maintainer/admin'), verbs)).toBe(
        201,
      )
      slowest = Math.max(slowest, performance.now() - askedAt)
      verbs += 1
    } while (!isOver)
    await flooding
    const elapsed = performance.now() - startedAt
    const { entries } = await cutsIn(world)
    const written = entries.filter(({ verb }) => verb === 'revoke').length
    expect([...statuses.keys()].filter((status) => status !== 202 && status !== 503)).toEqual([])
    expect(written).toBeGreaterThan(0)
    expect(written).toBeLessThanOrEqual(elapsed / windowMs + 1)
    const dead = await Promise.all(live.slice(0, 5).map((token) => isDead(world, token)))
    expect(dead).toEqual(Array(5).fill(true))
    process.stdout.write(
      `flood: ${posts} reports in ${Math.round(elapsed)} ms, ${JSON.stringify([...statuses])}, ${written} transactions; ${verbs} verbs, the slowest ${Math.round(slowest)} ms\n`,
    )
    if (process.env['LATCHKEY_SOAK'] === '1') expect(slowest).toBeLessThan(1000)
  },
  5 * minutes,
)

async function createAccount(url: string, token: string, index: number): Promise<number> {
  const response = await fetch(`${url}/admin/v1/accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `account-${index}` }),
  })
  await response.text()
  return response.status
}
