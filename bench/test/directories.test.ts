import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore, startHub } from '@latchkey/hub'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { rounds } from '@latchkey/testing/chance'
import { type SettingsChange, testSettings } from '@latchkey/testing/hub/hub-settings'
import { launch } from '@latchkey/testing/machine/command'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { describe, expect, it } from 'vitest'
import { type BenchDirectory, pathsOf } from '../issue/directory.ts'
import { postgresDirectories } from '../issue/postgres-directory.ts'
import { sqliteDirectory } from '../issue/sqlite-directory.ts'

const repositories = rounds(60, 300)

/** The status of a token request for each repository. */
async function statuses({ authorization }: BenchDirectory, data: string, change: SettingsChange) {
  const hub = await startHub(testSettings(data, change), {
    lines: { write() {}, async close() {} },
  })
  const next = pathsOf(repositories, repositories)
  const found = new Set<number>()
  for (let count = 0; count < repositories; count += 1) {
    found.add((await fetch(hub.url + next(), { headers: { authorization } })).status)
  }
  await hub.stop()
  return [...found]
}

describe('a directory that was loaded in bulk', () => {
  it('has every index of the schema, passes the doctor, and a hub gives tokens for all of it', async () => {
    const directory = await sqliteDirectory(repositories)
    const empty = mkdtempSync(join(tmpdir(), 'latchkey-bench-test-'))
    try {
      await (await openStore(testSettings(empty), { create: true })).close()
      const { data } = directory.order()
      expect(schemaOf(data)).toEqual(schemaOf(empty))
      expect(await statuses(directory, data, {})).toEqual([200])
      const doctor = await launch(['doctor', '--json', '--data', data], { cwd: empty }).ended
      expect(doctor, doctor.stdout).toMatchObject({ code: 0 })
      expect(doctor.stdout).toContain('no damage')
    } finally {
      await directory.close()
      rmSync(empty, { recursive: true })
    }
  })

  it('whose account has its role by teams gives the same tokens', async () => {
    const directory = await sqliteDirectory(repositories, 'teams')
    expect(await statuses(directory, directory.order().data, {})).toEqual([200])
    await directory.close()
  })

  it.skipIf(isPostgresMissing('bulk loads of benchmarks into it are not tested'))(
    'in PostgreSQL is one that a hub gives tokens for, all of it',
    async () => {
      const postgres = await postgresDirectories()
      try {
        const directory = await postgres.add(repositories)
        const { data, url = '' } = directory.order()
        const database = readPostgresSettings(url)
        expect(await statuses(directory, data, { database })).toEqual([200])
        await directory.close()
      } finally {
        await postgres.close()
      }
    },
  )
})

function schemaOf(data: string): unknown {
  const database = new DatabaseSync(join(data, 'latchkey.db'), { readOnly: true })
  const rows = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
  database.close()
  return rows
}
