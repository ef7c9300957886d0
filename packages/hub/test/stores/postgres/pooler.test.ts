/** Behind pgbouncer in transaction mode a hub does everything; only notifications need the server's own address. */

import { rounds } from '@latchkey/testing/chance'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { applied } from '@latchkey/testing/hub/run-verbs'
import { serve } from '@latchkey/testing/machine/command'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { type Pooler, startPooler } from '@latchkey/testing/postgres/pooler'
import { isPoolerMissing, isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyFile, open, openFile, openHub, seen, settingsOf } from './open-hub.ts'

const isMissing =
  isPostgresMissing('nothing is tested behind a pooler') ||
  isPoolerMissing('nothing is tested behind a pooler')

const file = {
  ...openFile,
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'read' }],
}

let [direct, pooled]: [string, string] = ['', '']
let pooler: Pooler
beforeAll(async () => {
  if (isMissing) return
  const own = await ownDatabase()
  // Fewer connections than the hubs have, so that they take turns.
  pooler = await startPooler(own.cluster, { default_pool_size: '3' })
  direct = own.url
  pooled = pooler.url(own.name)
})
afterAll(() => pooler?.kill())

describe.skipIf(isMissing)('behind a pooler', () => {
  test('the command takes the address of the pooler, and that of the server beside it', async () => {
    const other = await openHub(direct)
    const tokens = await applied<'ada/laptop'>(other.done, file)
    const hub = await serve(['--no-storage', '--data', 'data'], {
      cwd: temporaryFolder(),
      env: { LATCHKEY_DATABASE: pooled, LATCHKEY_DIRECT_DATABASE: direct },
    })
    const status = async () => {
      const token = tokens['ada/laptop']
      return (await askHub(hub.url, 'read models/acme/open@main', { token })).status
    }
    await expect.poll(status).toBe(200)
    await other.done('account set', { account: 'ada', disabled: true })
    await expect.poll(status).toBe(401)
    await other.done('account set', { account: 'ada', disabled: false })
    expect(await status()).toBe(200)
    const { stdout, stderr } = await hub.end('SIGTERM')
    expect(stdout + stderr).toContain('notifications_recovered')
    expect(stdout + stderr).not.toContain('notifications_lost')
    expect(stdout + stderr).not.toContain(new URL(direct).password)
    // The next test makes its own.
    const { items } = (await other.done('hub-token list', { account: 'ada' })) as {
      items: readonly { id: string }[]
    }
    for (const { id } of items) await other.done('hub-token revoke', { hubToken: id })
  })

  test('hubs issue, change and revoke, also many at once', async () => {
    const [here, there] = [await openHub(pooled), await openHub(pooled)]
    const hashes = await applyFile(here, file)
    const hubTokenHash = hashes['ada/laptop']
    for (let round = 0; round < rounds(1, 3); round += 1) {
      const asking = Array.from({ length: 300 }, async (_, at) => {
        // In turns of their own, so that many statements are on their way.
        await new Promise((later) => setTimeout(later, at % 7))
        const hub = at % 2 === 0 ? here : there
        return seen(
          hub.findAccess(at % 3 === 0 ? open : `models/acme/${round}-${at}`, { hubTokenHash }),
        )
      })
      const changing = [here, there].map((hub, at) =>
        hub.done('account create', { name: `made-${round}-${at}` }),
      )
      const answers = new Set(await Promise.all(asking))
      await Promise.all(changing)
      expect(answers).toEqual(new Set(['public', 'absent']))
    }
    expect(
      (await there.findAccess(open, { hubTokenHash })).refusedCaller?.revokedAt,
    ).toBeUndefined()
    const { items } = (await here.done('hub-token list', { account: 'ada' })) as {
      items: readonly { id: string }[]
    }
    for (const { id } of items) await here.done('hub-token revoke', { hubToken: id })
    const revoked = async () =>
      (await there.findAccess(open, { hubTokenHash })).refusedCaller?.revokedAt
    await expect.poll(revoked).toBeDefined()
    expect(here.events).toEqual(['notifications_lost'])
    expect(pooler.log()).not.toMatch(/prepared statement|unsupported startup parameter/)
  })

  test('a hub that has the address of the server itself hears of changes at once', async () => {
    const here = await openHub(pooled)
    const there = await openHub(pooled, { listenAt: settingsOf(direct) })
    await applyFile(here, file)
    await expect.poll(() => there.events).toEqual(['notifications_recovered'])
    const started = performance.now()
    for (let change = 0; change < 16; change += 1) {
      const visibility = change % 2 === 0 ? 'private' : 'public'
      await here.done('repo set', { repository: open, visibility })
      await expect.poll(() => seen(there.findAccess(open)), { interval: 5 }).toBe(visibility)
    }
    // By the look of every second alone it would take sixteen.
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
