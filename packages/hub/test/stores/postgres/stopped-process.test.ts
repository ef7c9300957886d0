/** A hub whose process stood still signs nothing that it knew before. */

import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '@latchkey/service/machine/time'
import { askHub } from '@latchkey/testing/hub/ask-hub'
import { applied, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { serve } from '@latchkey/testing/machine/command'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { expect, test } from 'vitest'
import { openHub } from './open-hub.ts'

const isMissing = isPostgresMissing('no process is stopped')

const what = 'read models/acme/closed@main'
const file = {
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    { type: 'model', id: 'acme/closed', visibility: 'private', branches: { main: '1'.repeat(40) } },
  ],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'read' }],
}

test.skipIf(isMissing)(
  'a hub that was stopped for longer than the bound mints nothing when it wakes',
  async () => {
    const own = await ownDatabase()
    const other = await openHub(own.url)
    const tokens = await applied<'ada/laptop'>(verbRunner(other, systemClock), file)
    const token = tokens['ada/laptop']
    const bound = process.env['LATCHKEY_SOAK'] === '1' ? 50 : 2
    const hub = await serve(['--no-storage', '--data', 'data', '--staleness-seconds', `${bound}`], {
      cwd: temporaryFolder(),
      env: { LATCHKEY_DATABASE: own.url },
    })
    await expect.poll(async () => (await askHub(hub.url, what, { token })).status).toBe(200)

    // Answered from memory, and in the middle of it when the process stops.
    let isOver = false
    const statuses: { readonly status: number; readonly at: number }[] = []
    const pouring = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const { status } = await askHub(hub.url, what, { token })
        statuses.push({ status, at: performance.now() })
      }
    })
    await expect
      .poll(() => statuses.filter(({ status }) => status === 200).length)
      .toBeGreaterThan(8)
    const { pid } = hub.child
    if (pid === undefined) throw new Error('no process')
    process.kill(pid, 'SIGSTOP')
    await delay(200)
    const { items } = (await other.done('hub-token list', { account: 'ada' })) as {
      items: readonly { id: string }[]
    }
    await other.done('hub-token revoke', { hubToken: items[0]?.id })
    const waiting = Array.from({ length: 8 }, () => askHub(hub.url, what, { token }))
    await delay(bound * 1000 + 1000)
    const woken = performance.now()
    process.kill(pid, 'SIGCONT')
    const answers = await Promise.all(waiting)
    await expect.poll(async () => (await askHub(hub.url, what, { token })).status).toBe(401)
    isOver = true
    await Promise.all(pouring)
    const poured = statuses.filter(({ at }) => at >= woken)
    expect(poured.length).toBeGreaterThanOrEqual(8)
    // What it knew before was too old, and what it learned since is that the hub token is revoked.
    const isMinted = ({ status }: { status: number }) => ![503, 401, 429].includes(status)
    expect(answers.filter(isMinted)).toEqual([])
    // One can have been signed before the process stopped, and sent afterwards.
    expect(poured.filter(isMinted).length).toBeLessThanOrEqual(1)
    await hub.end('SIGTERM')
  },
)
