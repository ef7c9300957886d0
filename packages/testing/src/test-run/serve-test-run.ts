/** Keeps one cluster and one object store for a whole run of the tests, and one template for other clusters; each is made when first asked for. */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { runSocketVariable, type Shared } from '../machine/ask-test-run.ts'
import { guardedFolder } from '../machine/guarded-folder.ts'
import { type Address, type Cluster, startFrom } from '../postgres/cluster.ts'
import { makeTemplate, type Template } from '../postgres/template.ts'
import { type LocalS3Store, type StoreAddress, startVersitygw } from '../s3/stores.ts'

/** What it holds is gone with the run, and no test restarts it: nothing has to reach the disk, nor, in minutes, to be vacuumed. */
const settings = {
  ...{ max_connections: '300', fsync: 'off', full_page_writes: 'off' },
  autovacuum: process.env['LATCHKEY_SOAK'] === '1' ? 'on' : 'off',
}

/** PostgreSQL 14 has one way to copy a database, and no word for it. */
function hasStrategies(data: string): boolean {
  return Number(readFileSync(join(data, 'PG_VERSION'), 'utf8')) >= 15
}

/** For `globalSetup` of vitest. Several projects of a run may ask for it. */
export default async function setUp(): Promise<() => Promise<void>> {
  if (process.env[runSocketVariable] !== undefined) return async () => {}
  // It has no server of its own, and so no such file.
  const folder = guardedFolder({ pidFile: 'none', signal: 'SIGTERM' })
  let template: Promise<Template> | undefined
  let cluster: Promise<Cluster> | undefined
  let store: Promise<LocalS3Store> | undefined
  const givers: {
    template(): Promise<Template>
    cluster(): Promise<Address>
    versitygw(): Promise<StoreAddress>
  } = {
    template() {
      template ??= makeTemplate(folder.path)
      return template
    },
    async cluster() {
      cluster ??= givers
        .template()
        .then(() => template)
        .then((made) => startFrom(made, { settings }))
      const { port, password, socketFolder } = await cluster
      const { data } = await givers.template()
      return { port, password, socketFolder, copiesFiles: hasStrategies(data) }
    },
    async versitygw() {
      store ??= startVersitygw()
      return (await store).address
    },
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    createInterface(socket).once('line', async (what) => {
      const value = givers[what as Shared]()
      const answer = await value.then(
        (value) => ({ value }),
        (error) => ({ error: String(error) }),
      )
      socket.end(JSON.stringify(answer))
    })
  })
  const path = join(folder.path, 'socket')
  server.listen(path)
  await once(server, 'listening')
  process.env[runSocketVariable] = path
  return async () => {
    delete process.env[runSocketVariable]
    server.close()
    for (const server of [cluster, store]) {
      await server?.then((made) => made.kill()).catch(() => {})
    }
    await folder.remove()
  }
}
