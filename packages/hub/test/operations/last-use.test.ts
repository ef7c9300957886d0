/** When a hub token was last used: written once in a while, and not forgotten when the database is busy. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asHubTokenId, unixSeconds } from '@latchkey/protocol'
import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { startWorld } from '@latchkey/testing/hub/world'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lastUse } from '../../src/operations/housekeeping.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import type { Directory } from '../../src/tables/directory.ts'

const used = asHubTokenId('t')

describe('the last use of a hub token', () => {
  test('is on record after a stop', async () => {
    const world = await startWorld(acme)
    world.passSeconds(60)
    await ask(world, 'read models/acme/open@main', { as: 'stranger/write' })
    await world.hub.stop()
    const { items } = (await world.done('hub-token list', { account: 'stranger' })) as {
      items: { lastUsedAt?: string }[]
    }
    expect(items[0]?.lastUsedAt).toBe(
      new Date((world.now() as number) * 1000).toISOString().replace('.000', ''),
    )
    await world.close()
  })

  test('costs a request no write', async () => {
    const world = await startWorld(acme)
    onTestFinished(() => world.close())
    const statements = await statementsDuring(() =>
      ask(world, 'read models/acme/open@main', { as: 'stranger/write' }),
    )
    expect(statements.filter((sql) => /insert|update|delete/i.test(sql))).toEqual([])
  })

  test('waits for another writer', async () => {
    const { store, file, moment } = directoryWithToken()
    const uses = lastUse(store.directory)
    uses.note(used, unixSeconds(5))
    const release = lock(file)
    const written = uses.writeDown()
    setTimeout(release, 200)
    await written
    expect(moment()).toBe(5)
  })

  test('that could not be written is written the next time', async () => {
    const { store, moment } = directoryWithToken()
    const uses = lastUse(failingOnce(store.directory))
    uses.note(used, unixSeconds(5))
    await expect(uses.writeDown()).rejects.toThrow('busy')
    await uses.writeDown()
    expect(moment()).toBe(5)
  })

  test('noted while an older one fails to be written is the one that is kept', async () => {
    const { store, moment } = directoryWithToken()
    const uses = lastUse(failingOnce(store.directory, () => uses.note(used, unixSeconds(9))))
    uses.note(used, unixSeconds(5))
    await expect(uses.writeDown()).rejects.toThrow('busy')
    await uses.writeDown()
    expect(moment()).toBe(9)
  })

  test('never goes back, when two hubs write in any order', async () => {
    const { store, moment } = directoryWithToken()
    const [one, other] = [lastUse(store.directory), lastUse(store.directory)]
    one.note(used, unixSeconds(9))
    other.note(used, unixSeconds(5))
    await one.writeDown()
    await other.writeDown()
    expect(moment()).toBe(9)
  })
})

function directoryWithToken() {
  const file = join(temporaryFolder(), 'hub.db')
  const store = openSqliteStore(file, { busyTimeoutMs: 50 })
  onTestFinished(() => store.close())
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  database.exec(`
    INSERT INTO accounts VALUES ('a', 'ada', 'user', 0, 0, 1, 'admin');
    INSERT INTO hub_tokens VALUES ('t', 'a', 'laptop', 'read', 'admin', 'hash', 'hint', '[]', NULL, NULL, NULL, 1, NULL, NULL, NULL);`)
  const select = database.prepare('SELECT last_used_at FROM hub_tokens')
  return { store, file, moment: () => select.get()?.['last_used_at'] }
}

function failingOnce(directory: Directory, meanwhile = () => {}): Directory {
  let failed = false
  return {
    ...directory,
    async note(what, work) {
      if (failed) return directory.note(what, work)
      failed = true
      meanwhile()
      throw new Error('busy')
    },
  }
}

/** Another process that writes; the function lets it end. */
function lock(file: string): () => void {
  const database = new DatabaseSync(file)
  database.exec('BEGIN IMMEDIATE')
  return () => {
    database.exec('ROLLBACK')
    database.close()
  }
}
