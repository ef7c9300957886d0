/** An empty database for a test file, in the cluster that the run of the tests shares. */

import { afterAll } from 'vitest'
import { askTestRun } from '../machine/ask-test-run.ts'
import { type Address, type Databases, databasesAt, startCluster } from './cluster.ts'

export interface OwnDatabase {
  readonly cluster: Databases
  readonly name: string
  readonly url: string
  sql(text: string): Promise<string>
}

/** For hooks and `describe` blocks: gone when all their tests are over. */
export async function ownDatabase(): Promise<OwnDatabase> {
  const cluster = await sharedCluster()
  const name = await cluster.createDatabase()
  afterAll(() => cluster.dropDatabase(name))
  return {
    cluster,
    name,
    url: cluster.url(name),
    sql: (text) => cluster.sql(text, name),
  }
}

/** A project of vitest without `serve-test-run.ts` gets a cluster for each file. */
export async function sharedCluster(): Promise<Databases> {
  const address = await askTestRun<Address>('cluster')
  if (address !== undefined) return databasesAt(address)
  const cluster = await startCluster()
  afterAll(() => cluster.kill())
  return cluster
}
