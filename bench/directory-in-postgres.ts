/** A PostgreSQL of a benchmark's own, with a directory of many repositories. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@latchkey/hub'
import { hashHubToken, hintOf, makeHubToken } from '@latchkey/hub/hub-token'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { pooledRandom } from '@latchkey/service/random'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { startCluster } from '@latchkey/testing/postgres/cluster'
import { cpuMicrosOf } from './machine.ts'

export interface DirectoryInPostgres {
  readonly url: string
  readonly authorization: string
  readonly pid: number
  /** Of the server and all its processes so far. */
  cpuMicros(): number
  close(): Promise<void>
}

export async function directoryInPostgres(repositories: number): Promise<DirectoryInPostgres> {
  const cluster = await startCluster({ settings: { shared_buffers: '1GB', max_connections: '50' } })
  const database = await cluster.createDatabase()
  const url = cluster.url(database)
  const data = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const place = { data, database: readPostgresSettings(url) }
  await (await openStore(place, { create: true })).close()
  rmSync(data, { recursive: true })
  const token = makeHubToken('lk_', pooledRandom())
  await cluster.sql(filling(repositories, hashHubToken(token), hintOf(token)), database)
  const pid = Number(
    readFileSync(join(cluster.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0],
  )
  return {
    url,
    authorization: `Bearer ${token.reveal()}`,
    pid,
    cpuMicros: () =>
      [pid, ...childrenOf(pid)].reduce((sum, process) => sum + cpuMicrosOf(process), 0),
    close: () => cluster.kill(),
  }
}

function filling(repositories: number, hash: string, hint: string): string {
  const commit = 'a'.repeat(40)
  return `
SET search_path = latchkey_hub;
SET synchronous_commit = off;
INSERT INTO accounts VALUES ('account', 'ada', 'user', false, false, now());
INSERT INTO namespaces VALUES ('namespace', 'acme', now());
INSERT INTO members VALUES ('namespace', 'account', 'write');
INSERT INTO hub_tokens (id, account_id, name, kind, secret_hash, hint, grants, created_at)
  VALUES ('token', 'account', 'bench', 'write', '${hash}', '${hint}', '[]', now());
INSERT INTO repositories
  SELECT md5('repository ' || n), 'namespace', 'models/acme/model-' || n, 'private', 'refs/heads/main', '[]', now(), 0
  FROM generate_series(0, ${repositories - 1}) AS n;
INSERT INTO refs (uid, repository_uid, name, commit_hash, created_at)
  SELECT md5('ref ' || n), md5('repository ' || n), 'refs/heads/main', '${commit}', now()
  FROM generate_series(0, ${repositories - 1}) AS n;
VACUUM ANALYZE;`
}
