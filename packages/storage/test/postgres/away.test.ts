/** While its database is away a storage says so, and it needs no hand when the database is back. */

import { askTestRun } from '@latchkey/testing/machine/ask-test-run'
import { type Address, databasesAt } from '@latchkey/testing/postgres/cluster'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { TestCatalog } from '../catalog/test-catalog.ts'
import { contentOf } from '../isolation/content.ts'
import { openStage } from '../stage.ts'

const waiting = { timeout: 60_000, interval: 200 }

test('uploads and reads get 503 with Retry-After, the storage is not ready, and all of it comes back by itself', async () => {
  const stage = await openStage({
    settings: { operations: { port: undefined, host: '127.0.0.1' } },
  })
  onTestFinished(() => stage.close())
  const readyz = async () => {
    const answer = await fetch(`${stage.url}/readyz`)
    return [answer.status, await answer.text()]
  }
  const { url = '' } = stage.maintenance.database as TestCatalog
  const name = new URL(url).pathname.slice(1)
  const address = await askTestRun<Address>('cluster')
  if (address === undefined) throw new Error('this run of the tests has no PostgreSQL')
  const { sql } = databasesAt(address)
  const allow = (isAllowed: boolean) =>
    sql(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS ${isAllowed}`)

  const caller = await stage.caller(`write ${await stage.newRepository()}@main`)
  const { xorb, file } = contentOf('before')
  const later = contentOf('after')
  const reconstruct = () => caller.ask(`GET /v2/reconstructions/${file.hash}`)
  await caller.upload(xorb)
  expect((await caller.register([file], [xorb])).status).toBe(200)

  expect(await readyz()).toMatchObject([200, expect.anything()])
  onTestFinished(() => allow(true).then(() => {}))
  await allow(false)
  await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
  const refused = [await caller.upload(later.xorb), await reconstruct()]
  for (const { status, headers, json } of refused) {
    expect([status, json, headers.get('retry-after')]).toEqual([
      503,
      expect.objectContaining({ code: 'not_ready' }),
      '5',
    ])
  }
  const reason = expect.stringContaining('The catalogue is unavailable: ')
  expect(await readyz()).toEqual([503, reason])
  expect(stage.lines.join('')).not.toContain(address.password)

  await allow(true)
  await vi.waitFor(async () => {
    expect((await caller.upload(later.xorb)).status).toBe(200)
    expect((await reconstruct()).status).toBe(200)
    expect(await readyz()).toMatchObject([200, expect.anything()])
  }, waiting)
})
