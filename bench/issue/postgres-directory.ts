/** A PostgreSQL of a benchmark's own, with directories of many repositories. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@latchkey/hub'
import { hashHubToken, hintOf, makeHubToken } from '@latchkey/hub/hub-token'
import { pooledRandom } from '@latchkey/service/machine/random'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { cpuMicrosOf, loadCore, pin } from '../machine.ts'
import { type BenchDirectory, type Roles, rolesIn } from './directory.ts'

export interface PostgresDirectories {
  add(repositories: number, roles?: Roles): Promise<BenchDirectory>
  /** All of its processes run beside the load generator: its share of the core is counted apart. */
  pin(): void
  close(): Promise<void>
}

export async function postgresDirectories(): Promise<PostgresDirectories> {
  const cluster = await startCluster({
    settings: {
      ...{ shared_buffers: '1GB', max_connections: '100', maintenance_work_mem: '512MB' },
      // Only the bulk load writes much, and what it writes need not survive a crash.
      ...{ fsync: 'off', max_wal_size: '8GB', autovacuum: 'off' },
    },
  })
  const file = join(cluster.folder, 'data/postmaster.pid')
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  const pids = () => [pid, ...childrenOf(pid)]
  const databaseMicros = () => pids().reduce((sum, process) => sum + microsOf(process), 0)
  return {
    async add(repositories, roles = 'direct') {
      return { ...(await newDirectory(cluster, { repositories, roles })), databaseMicros }
    },
    pin() {
      for (const process of pids()) pin(process, loadCore)
    },
    close: () => cluster.kill(),
  }
}

/** A connection may end between the list of processes and this: what it used is lost with it. */
function microsOf(pid: number): number {
  try {
    return cpuMicrosOf(pid)
  } catch {
    return 0
  }
}

async function newDirectory(
  cluster: Cluster,
  { repositories, roles }: Pick<BenchDirectory, 'repositories' | 'roles'>,
): Promise<BenchDirectory> {
  const database = await cluster.createDatabase()
  const url = cluster.url(database)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const place = { data: folder, database: readPostgresSettings(url) }
  await (await openStore(place, { create: true })).close()
  const token = makeHubToken('lk_', pooledRandom())
  await cluster.sql(filling({ repositories, roles }, hashHubToken(token), hintOf(token)), database)
  await cluster.sql('VACUUM ANALYZE', database)
  const bytes = await cluster.sql(`SELECT pg_database_size('${database}')`)
  let hubs = 0
  return {
    database: 'PostgreSQL',
    repositories,
    roles,
    authorization: `Bearer ${token.reveal()}`,
    megabytes: Number(bytes) / 2 ** 20,
    order() {
      hubs += 1
      return { data: join(folder, `hub-${hubs}`), url }
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

function filling(
  { repositories, roles }: Pick<BenchDirectory, 'repositories' | 'roles'>,
  hash: string,
  hint: string,
): string {
  const commit = 'a'.repeat(40)
  const series = `generate_series(0, ${repositories - 1}) AS n`
  return `
SET search_path = latchkey_hub;
SET synchronous_commit = off;
INSERT INTO accounts (id, name, kind, administrator, disabled, created_at, origin)
  VALUES ('account', 'ada', 'user', false, false, 1790000000, 'admin');
INSERT INTO namespaces (id, name, created_at) VALUES ('namespace', 'acme', 1790000000);
${rolesIn(roles, 1790000000)}
INSERT INTO hub_tokens (id, account_id, name, kind, origin, secret_hash, hint, grants, created_at)
  VALUES ('token', 'account', 'bench', 'write', 'admin', '${hash}', '${hint}', '[]', 1790000000);
INSERT INTO repositories
    (uid, namespace_id, path, visibility, default_branch, ref_rules, created_at, epoch, storage)
  SELECT md5('repository ' || n), 'namespace', 'models/acme/model-' || n, 'private', 'refs/heads/main', '[]', 1790000000, 0, 'default'
  FROM ${series};
INSERT INTO refs (uid, repository_uid, name, commit_hash, created_at)
  SELECT md5('ref ' || n), md5('repository ' || n), 'refs/heads/main', '${commit}', 1790000000
  FROM ${series};`
}
