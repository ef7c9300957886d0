/** A hub whose private repositories are hidden from the caller, and the names to ask for. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type HubSettings, openStore, startHub } from '@latchkey/hub'
import { hashHubToken, hintOf, makeHubToken } from '@latchkey/hub/hub-token'
import { newId, pooledRandom } from '@latchkey/service/machine/random'
import { testSettings } from '@latchkey/testing/hub/hub-settings'

export interface HiddenWorld {
  readonly url: string
  readonly settings: HubSettings
  readonly authorization: string
  readonly hubTokenHash: string
  close(): Promise<void>
}

/** Every fourth name is a repository; the names between are of no repository and sort between them. */
export function nameOf(index: number): string {
  return `model-${String(index).padStart(9, '0')}`
}

export async function openHiddenWorld(repositories: number): Promise<HiddenWorld> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-hidden-'))
  const settings = testSettings(data, {
    hidePrivateRepositories: true,
    limits: { requestsPerMinute: 1_000_000_000 },
    log: { level: 'info' },
  })
  await (await openStore(settings, { create: true })).close()
  const token = fill(join(data, 'latchkey.db'), repositories)
  const lines = { write: () => {}, async close() {} }
  const hub = await startHub(settings, { lines })
  return {
    url: hub.url,
    settings,
    authorization: `Bearer ${token.reveal()}`,
    hubTokenHash: hashHubToken(token),
    async close() {
      await hub.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** The caller belongs to another namespace; the repositories have members and collaborators of their own. */
function fill(file: string, repositories: number) {
  const random = pooledRandom()
  const token = makeHubToken('lk_', random)
  const database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = OFF; BEGIN')
  const account = database.prepare("INSERT INTO accounts VALUES (?, ?, 'user', 0, 0, 1, 'admin')")
  const member = database.prepare("INSERT INTO members VALUES (?, ?, 'write')")
  const [namespace, others, caller] = [newId(random), newId(random), newId(random)]
  const addNamespace = database.prepare('INSERT INTO namespaces VALUES (?, ?, 1, NULL, NULL)')
  addNamespace.run(namespace, 'acme')
  addNamespace.run(others, 'others')
  const accounts = Array.from({ length: 1000 }, (_, index) => [newId(random), `person-${index}`])
  for (const [id = '', name = ''] of accounts) {
    account.run(id, name)
    member.run(namespace, id)
  }
  account.run(caller, 'caller')
  member.run(others, caller)
  database
    .prepare(`INSERT INTO hub_tokens (id, account_id, name, kind, origin, secret_hash, hint, grants, created_at)
              VALUES (?, ?, 'bench', 'write', 'admin', ?, ?, '[]', 1)`)
    .run(newId(random), caller, hashHubToken(token), hintOf(token))
  const repository = database.prepare(`INSERT INTO repositories VALUES
    (?, ?, ?, 'private', 'refs/heads/main', '[{"pattern":"release/*","write":"admin"}]', 1, 0, 'default', NULL, NULL, NULL)`)
  const collaborator = database.prepare("INSERT INTO collaborators VALUES (?, ?, 'read')")
  const ref =
    database.prepare(`INSERT INTO refs (uid, repository_uid, name, commit_hash, created_at)
    VALUES (?, ?, 'refs/heads/main', '${'a'.repeat(40)}', 1)`)
  for (let index = 0; index < repositories; index += 1) {
    const uid = newId(random)
    repository.run(uid, namespace, `models/acme/${nameOf(index * 4)}`)
    collaborator.run(uid, accounts[index % accounts.length]?.[0] ?? '')
    ref.run(newId(random), uid)
  }
  database.exec('COMMIT')
  database.close()
  return token
}
