/** A directory of many repositories in SQLite, written by the statements of a bulk load into the real schema. */

import { constants, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '@latchkey/hub'
import { hashHubToken, hintOf, makeHubToken } from '@latchkey/hub/hub-token'
import { idsFrom, pooledRandom } from '@latchkey/service/machine/random'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { type BenchDirectory, type Roles, rolesIn } from './directory.ts'

const file = 'latchkey.db'

export async function sqliteDirectory(
  repositories: number,
  roles: Roles = 'direct',
): Promise<BenchDirectory> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const first = join(folder, 'data')
  await (await openStore(testSettings(first), { create: true })).close()
  const authorization = fill(join(first, file), { repositories, roles })
  let hubs = 0
  return {
    database: 'SQLite',
    repositories,
    roles,
    authorization,
    megabytes: statSync(join(first, file)).size / 2 ** 20,
    /** A copy for each hub: what one writes would end what another remembers. */
    order() {
      hubs += 1
      const data = join(folder, `hub-${hubs}`)
      mkdirSync(data, { mode: 0o700 })
      copyFileSync(join(first, file), join(data, file), constants.COPYFILE_FICLONE)
      return { data }
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

function fill(
  path: string,
  { repositories, roles }: Pick<BenchDirectory, 'repositories' | 'roles'>,
): string {
  const random = pooledRandom()
  const newId = idsFrom(random)
  const token = makeHubToken('lk_', random)
  const database = new DatabaseSync(path)
  // Half the memory of a small machine at most. A crash loses nothing that anybody needs.
  database.exec(
    'PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000; BEGIN',
  )
  database.exec(`
    INSERT INTO accounts (id, name, kind, administrator, disabled, created_at, origin)
      VALUES ('account', 'ada', 'user', 0, 0, 1, 'admin');
    INSERT INTO namespaces (id, name, created_at) VALUES ('namespace', 'acme', 1);
    ${rolesIn(roles, 1)}`)
  database
    .prepare(`INSERT INTO hub_tokens (id, account_id, name, kind, origin, secret_hash, hint, grants, created_at)
              VALUES (?, 'account', 'bench', 'write', 'admin', ?, ?, '[]', 1)`)
    .run(newId(), hashHubToken(token), hintOf(token))
  database.function('new_id', () => newId())
  const series = `WITH RECURSIVE series (n) AS
    (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n + 1 < ${repositories})`
  withoutIndexes(database, () =>
    database.exec(`
      INSERT INTO repositories
          (uid, namespace_id, path, visibility, default_branch, ref_rules, created_at, epoch, storage)
        ${series} SELECT new_id(), 'namespace', 'models/acme/model-' || n, 'private',
          'refs/heads/main', '[]', 1, 0, 'default' FROM series;
      INSERT INTO refs (uid, repository_uid, name, commit_hash, created_at)
        SELECT new_id(), uid, 'refs/heads/main', '${'a'.repeat(40)}', 1 FROM repositories;`),
  )
  database.exec('COMMIT; PRAGMA journal_mode = WAL')
  database.close()
  return `Bearer ${token.reveal()}`
}

/** An index that is made in one go costs a fraction of one that grows row by row. */
function withoutIndexes(database: DatabaseSync, write: () => void): void {
  const indexes = database
    .prepare(`SELECT name, sql FROM sqlite_schema
              WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('repositories', 'refs')`)
    .all()
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`)
  write()
  for (const { sql } of indexes) database.exec(String(sql))
}
