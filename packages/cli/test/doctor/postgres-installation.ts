/** An installation on PostgreSQL that has run once; every test gets a copy of its database and its data directory. */

import { join } from 'node:path'
import { copyOfData, sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { type Cluster, type Databases, startCluster } from '@latchkey/testing/postgres/cluster'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type Installation, place, serveOnce } from './installation.ts'

export interface PostgresInstallation extends Installation {
  readonly name: string
  readonly env: { readonly LATCHKEY_DATABASE: string }
  sql(text: string): Promise<string>
}

export interface PostgresInstallations {
  readonly cluster: () => Cluster
  /** By the role of that name, or by the superuser. */
  copy(role?: string): Promise<PostgresInstallation>
}

export function postgresInstallations(
  settings: Readonly<Record<string, string>> = {},
): PostgresInstallations {
  const folder = sharedFolder()
  let cluster: Cluster | undefined
  let original = ''
  const running = () => {
    if (cluster === undefined) throw new Error('the cluster does not run yet')
    return cluster
  }
  beforeAll(async () => {
    cluster = await startCluster({ settings })
    original = await cluster.createDatabase()
    const env = { LATCHKEY_DATABASE: cluster.url(original) }
    await serveOnce(folder, env)
  }, 120_000)
  afterAll(() => cluster?.kill())
  return {
    cluster: running,
    async copy(role) {
      const name = await running().createDatabase(`template ${original}`)
      onTestFinished(() => running().dropDatabase(name))
      const cwd = temporaryFolder()
      const data = copyOfData(join(folder, 'latchkey-data'), join(cwd, 'latchkey-data'))
      return { ...(await place(cwd)), data, ...on(running(), name, role) }
    },
  }
}

/** The same database at another server, or by another role. */
export function on(server: Databases, name: string, role?: string) {
  return {
    name,
    env: { LATCHKEY_DATABASE: server.url(name, role) },
    sql: (text: string) => server.sql(text, name),
  }
}
