/** A flood of reports delays no verb: it makes a transaction each quarter of a second, and no more. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { acme } from '@latchkey/testing/hub/acme'
import { hubToken } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { expect, onTestFinished, test } from 'vitest'
import { windowMs } from '../../../src/revocation/report/commit-windows.ts'
import type { Flood } from './flood-sender.ts'
import { cutsIn, isDead, tokenFor } from './taken-back.ts'

const posts = rounds(100, 10_000)
const senders = rounds(30, 200)
const minutes = 60_000

const many = Array.from({ length: 20 }, (_, index) => ({
  account: 'writer',
  name: `ci-${index}`,
  kind: 'write',
}))

// conformance: Attacks / 38. An attacker blocks the database writer with one request
test(
  'verbs go on during a flood of reports, and the reports are few transactions',
  async () => {
    const world = await startWorld(
      { ...acme, hubTokens: [...acme.hubTokens, ...many] },
      { trustedProxies: ['127.0.0.1'] },
    )
    onTestFinished(() => world.close())
    const tokens = await leakedTokens(world)
    const startedAt = performance.now()
    const flooding = flood({ url: world.hub.url, posts, senders, tokens })
    const { verbs, slowest } = await verbsUntil(world, flooding)
    const statuses = await flooding
    const elapsed = performance.now() - startedAt
    const { entries } = await cutsIn(world)
    const written = entries.filter(({ verb }) => verb === 'revoke').length
    process.stdout.write(
      `flood: ${posts} reports in ${Math.round(elapsed)} ms: ${JSON.stringify(statuses)}, ${written} transactions; ${verbs} verbs, the slowest ${Math.round(slowest)} ms\n`,
    )
    expect(Object.keys(statuses).filter((status) => !['202', '503'].includes(status))).toEqual([])
    expect(written).toBeGreaterThan(0)
    expect(written).toBeLessThanOrEqual(elapsed / windowMs + 1)
    expect(await isDead(world, tokens[0] ?? '')).toBe(true)
    if (process.env['LATCHKEY_SOAK'] === '1') expect(slowest).toBeLessThan(1000)
  },
  5 * minutes,
)

function leakedTokens(world: World): Promise<string[]> {
  const what = 'read models/acme/bert@main'
  const issued = Array.from({ length: rounds(20, 200) }, (_, index) =>
    tokenFor(world, what, `writer/ci-${index % 20}`),
  )
  return Promise.all(issued)
}

async function flood(wanted: Flood): Promise<Record<string, number>> {
  const child = fork(join(import.meta.dirname, 'flood-sender.ts'))
  onTestFinished(() => void child.kill('SIGKILL'))
  const [told] = await Promise.all([once(child, 'message'), child.send(wanted)])
  return told[0]
}

/** Long enough that the flood, and not the verbs, is what keeps the hub busy. */
const betweenVerbsMs = 20

/** One after the other; each must be done. */
async function verbsUntil(world: World, flooding: Promise<unknown>) {
  let [isOver, verbs, slowest] = [false, 0, 0]
  flooding.finally(() => {
    isOver = true
  })
  do {
    const askedAt = performance.now()
    expect(await createAccount(world, verbs)).toBe(201)
    slowest = Math.max(slowest, performance.now() - askedAt)
    verbs += 1
    await delay(betweenVerbsMs)
  } while (!isOver)
  return { verbs, slowest }
}

async function createAccount(world: World, index: number): Promise<number> {
  const headers = {
    authorization: `Bearer ${hubToken(world, 'maintainer/admin')}`,
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ name: `account-${index}` })
  const response = await fetch(`${world.hub.url}/admin/v1/accounts`, {
    method: 'POST',
    headers,
    body,
  })
  await response.text()
  return response.status
}
