/** The disk with the tables of a PostgreSQL server is full: writers are told, readers are served, and room is enough to go on. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemClock } from '@latchkey/service/machine/time'
import { askHub, type Heard } from '@latchkey/testing/hub/ask-hub'
import { applied, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { latchkey, type Serving, serve } from '@latchkey/testing/machine/command'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { handOver } from '@latchkey/testing/machine/run-unprivileged'
import { mountSmallDisk } from '@latchkey/testing/machine/small-disk'
import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../../src/stores/postgres/open-store.ts'
import { directoryFile } from '../../crash/directory-file.ts'
import { settingsOf } from './open-hub.ts'

const isMissing = isPostgresMissing('PostgreSQL on a full disk is not tested')
const disk = isMissing ? undefined : mountSmallDisk(48)
const folder = sharedFolder()
const noRoom = /^latchkey: [^\n]*(?:no space left|disk is full)[^\n]*\n$/
const file = {
  accounts: [{ name: 'root', administrator: true }],
  namespaces: [{ name: 'acme', members: { root: 'admin' } }],
  repositories: [{ type: 'model', id: 'acme/bert', branches: { main: '1'.repeat(40) } }],
  hubTokens: [
    { account: 'root', name: 'admin', kind: 'admin' },
    { account: 'root', name: 'write', kind: 'write' },
  ],
}

describe.skipIf(isMissing)('on a full disk of the server', () => {
  let cluster: Cluster
  let hub: Serving
  let tokens: Readonly<Record<'root/admin' | 'root/write', string>>
  let database = ''
  beforeAll(async () => {
    if (disk === undefined) return
    cluster = await startCluster()
    // The log of the server is elsewhere: without room for it, the server itself ends.
    const tables = join(disk.folder, 'tables')
    mkdirSync(tables)
    for (const path of [disk.folder, tables]) handOver(path)
    chmodSync(dirname(disk.folder), 0o711)
    await cluster.sql(`create tablespace small location '${tables}'`)
    database = await cluster.createDatabase('tablespace small')
    const url = cluster.url(database)
    const store = await openPostgresStore(settingsOf(url), { create: true })
    tokens = await applied(verbRunner(store, systemClock), file)
    await store.close()
    writeFileSync(join(folder, 'directory.json'), JSON.stringify(directoryFile(1)))
    hub = await serve(['--no-storage', '--data', 'data'], {
      cwd: folder,
      env: { LATCHKEY_DATABASE: url },
    })
  })
  beforeEach(({ skip }) => {
    if (disk === undefined) skip('this user may not mount a small disk to fill')
    disk?.fill()
  })
  afterAll(async () => {
    await hub?.end('SIGKILL')
    await cluster?.kill()
    disk?.remove()
  })

  let made = 0
  const accountsAtOnce = 50
  const createAccounts = async (): Promise<Heard> => {
    const numbers = Array.from({ length: accountsAtOnce }, (_, n) => made + n)
    const accounts = numbers.map((number) => ({ name: `account-${number}` }))
    const answer = await askHub(hub.url, '/admin/v1/apply', {
      token: tokens['root/admin'],
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ file: { accounts } }),
    })
    if (answer.status === 200) made += accountsAtOnce
    return answer
  }
  /** Small writes fit into pages that the tables have already. */
  const createUntilFull = async (): Promise<Heard> => {
    for (let left = 5000; left > 0; left -= 1) {
      const answer = await createAccounts()
      if (answer.status !== 200) return answer
    }
    throw new Error('the disk never became full')
  }
  const ask = async () =>
    (await askHub(hub.url, 'write models/acme/bert@main', { token: tokens['root/write'] })).status
  const count = (table: string) =>
    cluster.sql(`select count(*) from latchkey_hub.${table}`, database)

  test('the admin API answers 507, and keeps exactly what it acknowledged', async () => {
    const { status, body } = await createUntilFull()
    expect(status).toBe(507)
    expect(JSON.parse(body)).toMatchObject({ code: 'storage_full' })
    expect(await count('accounts')).toBe(`${1 + made}`)
    expect(cluster.log()).toContain('No space left on device')
  })

  test('token requests are answered', async () => {
    expect(await ask()).toBe(200)
  })

  test('latchkey apply says in one line that there is no room, and changes nothing', async () => {
    await createUntilFull()
    const before = await count('journal')
    const { code, stderr } = await latchkey(['apply', 'directory.json'], {
      cwd: folder,
      env: { LATCHKEY_DATABASE: cluster.url(database), LATCHKEY_DATA: 'data' },
    })
    expect(stderr).toMatch(noRoom)
    expect(code).toBe(3)
    expect(await count('journal')).toBe(before)
  })

  test('the hub goes on by itself as soon as there is room', async () => {
    await createUntilFull()
    disk?.free()
    expect((await createAccounts()).status).toBe(200)
    expect(await ask()).toBe(200)
    expect(await count('accounts')).toBe(`${1 + made}`)
  })
})
