import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { startOfTime } from '@latchkey/testing/hub/hub-settings'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, test } from 'vitest'

let world: World
let onlooker: DatabaseSync
beforeEach(async () => {
  world = await startWorld(acme)
  onlooker = new DatabaseSync(join(world.settings.data, 'latchkey.db'), { readOnly: true })
})
afterEach(async () => {
  onlooker.close()
  await world.close()
})

function lastUsed(account: string, name: string): unknown {
  const row = onlooker
    .prepare(
      `SELECT t.last_used_at FROM hub_tokens t JOIN accounts a ON a.id = t.account_id
       WHERE a.name = ? AND t.name = ?`,
    )
    .get(account, name)
  return row?.['last_used_at']
}

async function askOften(): Promise<void> {
  for (let count = 0; count < 20; count += 1) {
    await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
    await ask(world, 'write models/acme/bert@main', { as: 'reader/write' })
    await ask(world, 'read models/acme/bert@nowhere', { as: 'guest/write' })
  }
}

// conformance: Operation / The hub records the last use of a hub token without a write per request
test('token requests write nothing to the database', async () => {
  const version = () => onlooker.prepare('PRAGMA data_version').get()?.['data_version']
  const before = version()
  await askOften()
  expect(version()).toBe(before)
})

// conformance: Operation / The hub records the last use of a hub token without a write per request
test('token requests execute no statement that writes or takes the write lock', async () => {
  const executed = await statementsDuring(askOften)
  expect(executed.length).toBeGreaterThan(0)
  for (const sql of executed) expect(sql).toMatch(/^(select\b.*|with\b.*|begin|commit)$/i)
})

// conformance: Operation / The hub records the last use of a hub token without a write per request
test('when a hub token was last used is on record after the hub has stopped', async () => {
  await askOften()
  world.passSeconds(100)
  await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
  expect(lastUsed('writer', 'write')).toBeNull()
  await world.hub.stop()
  expect(lastUsed('writer', 'write')).toBe(startOfTime + 100)
  expect(lastUsed('reader', 'write')).toBe(startOfTime)
  expect(lastUsed('guest', 'write')).toBe(startOfTime)
})

// conformance: Operation / The hub records the last use of a hub token without a write per request
test('a hub token that was never used, or only refused as such, has no last use', async () => {
  await ask(world, 'read models/acme/bert@main')
  await ask(world, 'read models/acme/bert@main', { headers: { authorization: 'Bearer x' } })
  await world.hub.stop()
  for (const [account, name] of [
    ['writer', 'read'],
    ['stranger', 'write'],
    ['ci-bot', 'main-only'],
  ] as const) {
    expect(lastUsed(account, name), account).toBeNull()
  }
})
