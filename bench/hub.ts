/** A hub with many repositories on a database of its own, as one side of a benchmark. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore, startHub } from '@latchkey/hub'
import { hashHubToken, hintOf, makeHubToken } from '@latchkey/hub/hub-token'
import { Secret } from '@latchkey/protocol'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { newId, pooledRandom } from '@latchkey/service/random'
import { testSettings } from '@latchkey/testing/hub/hub-settings'

const repositories = Number(process.argv[2] ?? 1_000_000)
const asked = Number(process.argv[3] ?? repositories)
/** A directory in PostgreSQL that is there already, and the hub token for it. */
const [url, given] = [process.env['BENCH_DATABASE'], process.env['BENCH_AUTHORIZATION']]

const data = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const settings = testSettings(data, {
  publicUrl: 'http://127.0.0.1:8080',
  casUrl: 'http://127.0.0.1:8081/r/{repo}/{ref}',
  // One hub token stands for a whole load here; the counting itself stays on.
  limits: { requestsPerMinute: 1_000_000_000 },
  log: { level: 'info' },
  // Hubs that share a directory share its master key.
  masterKey: new Secret('master-key', Buffer.alloc(32, 'bench').toString('base64')),
  ...(url !== undefined && { database: readPostgresSettings(url) }),
})

if (url === undefined) await (await openStore(settings, { create: true })).close()
const authorization = given ?? fill(join(data, 'latchkey.db'))
const hub = await startHub(settings)
process.send?.({ port: Number(new URL(hub.url).port), paths: pathsAsked(), authorization })
process.on('disconnect', () => {
  rmSync(data, { recursive: true, force: true })
  process.exit()
})

/** Not kept: a million texts would make every garbage collection of the hub longer. */
function pathsAsked(): string[] {
  const stride = Math.floor(repositories / asked)
  return shuffled(Array.from({ length: asked }, (_, index) => pathOf(index * stride)))
}

function pathOf(index: number): string {
  return `/api/models/acme/model-${index}/storage-read-token/main`
}

/** In no order that the database could profit from. */
function shuffled(paths: string[]): string[] {
  for (let last = paths.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1))
    const [one = '', two = ''] = [paths[last], paths[other]]
    paths[last] = two
    paths[other] = one
  }
  return paths
}

function fill(file: string): string {
  const random = pooledRandom()
  const token = makeHubToken('lk_', random)
  const database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = OFF; BEGIN')
  database.exec(`
    INSERT INTO accounts VALUES ('account', 'ada', 'user', 0, 0, 1);
    INSERT INTO namespaces VALUES ('namespace', 'acme', 1);
    INSERT INTO members VALUES ('namespace', 'account', 'write');`)
  database
    .prepare(`INSERT INTO hub_tokens (id, account_id, name, kind, secret_hash, hint, grants, created_at)
              VALUES (?, 'account', 'bench', 'write', ?, ?, '[]', 1)`)
    .run(newId(random), hashHubToken(token), hintOf(token))
  const repository = database.prepare(`INSERT INTO repositories VALUES
    (?, 'namespace', ?, 'private', 'refs/heads/main', '[]', 1, 0)`)
  const ref =
    database.prepare(`INSERT INTO refs (uid, repository_uid, name, commit_hash, created_at)
    VALUES (?, ?, 'refs/heads/main', '${'a'.repeat(40)}', 1)`)
  for (let index = 0; index < repositories; index += 1) {
    const uid = newId(random)
    repository.run(uid, `models/acme/model-${index}`)
    ref.run(newId(random), uid)
  }
  database.exec('COMMIT')
  database.close()
  return `Bearer ${token.reveal()}`
}
