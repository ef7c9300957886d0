/** `latchkey doctor` with PostgreSQL: where all is well, and every fault of a database that can be made in one. */

import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { examine, examineAhead, hourMs, type Installation, place, serve } from './installation.ts'
import { on, type PostgresInstallation, postgresInstallations } from './postgres-installation.ts'

const isMissing = isPostgresMissing('what the doctor says of one is not tested')

describe.skipIf(isMissing)('with PostgreSQL', () => {
  const { copy, cluster } = postgresInstallations()

  /** The only lines that say that something is wrong. */
  async function expectWrong(here: Installation, lines: readonly RegExp[]): Promise<void> {
    expect((await examine(here)).of('wrong')).toEqual(
      lines.map((line) => expect.stringMatching(line)),
    )
  }

  const roleOfHub = 'latchkey_hub'
  const grants = `
    grant usage on schema latchkey_hub to ${roleOfHub};
    grant select, insert, update, delete on all tables in schema latchkey_hub to ${roleOfHub};`

  /** By a role with the rights of a hub and no others. */
  async function copyForRole() {
    const exists = await cluster().sql(`select 1 from pg_roles where rolname = '${roleOfHub}'`)
    if (exists === '') await cluster().createRole(roleOfHub)
    const here = await copy(roleOfHub)
    await here.sql(grants)
    return here
  }

  test('and the rights of a hub all is well, while the hub runs and while it does not', async () => {
    const here = await copyForRole()
    const before = await here.sql('select number, mark from latchkey_hub.journal_head')
    const resting = await examine(here)
    expect([resting.of('wrong'), resting.of('skipped')]).toEqual([[], []])
    expect(resting.of('warning')).toEqual([
      `hub: no process listens at http://127.0.0.1:${here.port}`,
    ])
    expect(await here.sql('select number, mark from latchkey_hub.journal_head')).toBe(before)

    await serve(here)
    const { of } = await examine(here)
    expect([of('wrong'), of('warning'), of('skipped')]).toEqual([[], [], []])
    expect(of('good').map((line) => line.split(':')[0])).toEqual([
      ...['configuration', 'data directory', 'disk', 'database', 'schema', 'role'],
      ...['durability', 'durability', 'notifications', 'same server', 'staleness', 'master key'],
      ...[
        'signing keys',
        'signing keys',
        'journal',
        'rollback',
        'hub',
        'clock',
        'clock',
        'storage',
      ],
      ...['catalogue', 'object store', 'following'],
    ])
    expect(of('good')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^database: PostgreSQL \d+\.\d+ at .* answers and takes changes$/),
        expect.stringMatching(/^schema: latchkey_hub has version \d+, as this program/),
        'role: latchkey_hub reads and writes rows, and cannot change the tables',
        'notifications: sent and heard: hubs learn of a change at once',
        'same server: the one on which hubs worked last',
        expect.stringMatching(/^staleness: what a hub knows is at most 5 s old/),
      ]),
    )
  }, 120_000)

  test('nothing that is printed has the password', async () => {
    const here = await copy()
    const { stdout, stderr } = await latchkeyHere(['doctor', ...here.flags], here)
    expect(stdout).toContain('✓ database')
    expect(stdout + stderr).not.toContain(cluster().password)
  })

  test('before the first start nothing is wrong, and nothing is made', async () => {
    const empty = on(cluster(), await cluster().createDatabase())
    const { of } = await examine({ ...(await place()), ...empty })
    expect(of('wrong')).toEqual([])
    expect(of('warning')).toContain('schema: latchkey_hub has no tables yet')
    expect(await empty.sql(`select 1 from pg_namespace where nspname = 'latchkey_hub'`)).toBe('')
  })

  describe('the database', () => {
    const withUrl = async (change: (url: URL) => void) => {
      const here = await copy()
      const url = new URL(here.env.LATCHKEY_DATABASE)
      change(url)
      return { ...here, env: { LATCHKEY_DATABASE: url.href } }
    }

    test.each<[string, (url: URL) => void, RegExp]>([
      ['does not listen', (url) => Object.assign(url, { port: '1' }), /: nothing listens there$/],
      [
        'is not let in with this password',
        (url) => Object.assign(url, { password: 'canary' }),
        /: the password for tester is wrong$/,
      ],
      [
        'does not exist',
        (url) => Object.assign(url, { pathname: '/lost' }),
        /: there is no database lost$/,
      ],
      [
        'does not offer the TLS that is asked for',
        (url) => url.searchParams.set('sslmode', 'require'),
        /: it does not offer TLS, and sslmode asks for it$/,
      ],
    ])('%s', async (_, change, line) => {
      const here = await withUrl(change)
      const { of, findings } = await examine(here)
      expect(of('wrong')).toEqual([expect.stringMatching(line)])
      expect(of('wrong')[0]).toMatch(/^database: PostgreSQL \(127\.0\.0\.1:\d+, database /)
      expect(of('skipped')).toContain('schema: not looked at, because the database does not answer')
      expect(JSON.stringify(findings)).not.toContain('canary')
    })

    test('has another encoding', async () => {
      const name = await cluster().createDatabase(`encoding 'LATIN1' template template0`)
      const here = { ...(await place()), ...on(cluster(), name) }
      await expectWrong(here, [/^database: .*: its encoding is LATIN1$/])
    })
  })

  describe('the schema', () => {
    const versions = 'latchkey_hub.schema_version'

    test('is of a newer program', async () => {
      const here = await copy()
      await here.sql(`update ${versions} set version = 99`)
      await expectWrong(here, [/^schema: latchkey_hub has version 99, and this program knows up/])
    })

    test('is of an older program, which is a warning', async () => {
      const here = await copy()
      await here.sql(`update ${versions} set version = 0`)
      const { of } = await examine(here)
      expect([of('wrong'), of('warning')]).toEqual([
        [],
        expect.arrayContaining([
          expect.stringMatching(/^schema: latchkey_hub has version 0, and this program brings it/),
        ]),
      ])
      expect(of('skipped')).toContain(
        'journal: not looked at, because the database has another version',
      )
    })

    test.each([
      ['lacks a table', 'drop table latchkey_hub.cut_offs', /but not all tables: cut_offs$/],
      ['lost its version', `delete from ${versions}`, /nothing says of which version$/],
      ['has no table of versions', `drop table ${versions}`, /nothing says of which version$/],
    ])('%s', async (_, statement, line) => {
      const here = await copy()
      await here.sql(statement)
      await expectWrong(here, [line])
    })

    test('holds a demo', async () => {
      const here = await copy()
      await here.sql(`insert into latchkey_hub.settings values ('demo', 'yes')`)
      await expectWrong(here, [/^schema: the data directory .* holds demo data$/])
    })
  })

  describe('the role', () => {
    /** A start ends with the finding and the remedy of doctor. */
    async function expectNamed(here: PostgresInstallation, found: RegExp): Promise<void> {
      const { findings } = await examine(here)
      const wrong = findings.filter(({ result }) => result === 'wrong')
      expect(wrong).toMatchObject([{ check: 'role', found: expect.stringMatching(found) }])
      const { code, stderr } = await latchkeyHere(['serve', '--no-storage', '--port', '0'], here)
      expect(code).toBe(3)
      expect(stderr).toContain(`: the role ${wrong[0]?.found}. ${wrong[0]?.todo}\n`)
      expect(wrong[0]?.todo).toMatch(/GRANT \w.* TO latchkey_hub;/)
    }

    test.each([
      ['a right on a table', 'update on latchkey_hub.refs', /latchkey_hub lacks UPDATE on refs$/],
      [
        'many rights',
        'insert, delete on all tables in schema latchkey_hub',
        /latchkey_hub lacks DELETE on \w+.* and \d+ more rights$/,
      ],
    ])('lacks %s: doctor and the start of a hub name it', async (_, right, line) => {
      const here = await copyForRole()
      await here.sql(`revoke ${right} from ${roleOfHub}`)
      await expectNamed(here, line)
    })

    test('may not ask which server it is on: doctor and the start of a hub name it', async () => {
      const here = await copyForRole()
      await here.sql('revoke execute on function pg_control_system() from public')
      await expectNamed(here, /^latchkey_hub lacks EXECUTE on pg_control_system\(\)$/)
    })

    test('may not use the schema', async () => {
      const here = await copyForRole()
      await here.sql(`revoke usage on schema latchkey_hub from ${roleOfHub}`)
      await expectNamed(here, /^latchkey_hub lacks USAGE on the schema latchkey_hub$/)
    })

    test('may not make the tables of a new database: doctor and the start of a hub name it', async () => {
      const here = await copyForRole()
      await here.sql('drop schema latchkey_hub cascade')
      await expectNamed(here, /^latchkey_hub lacks CREATE on the database test_\w+$/)
    })

    test('is a superuser, or reads everything: a warning', async () => {
      const mighty = await examine(await copy())
      expect(mighty.of('warning')).toContainEqual(
        expect.stringMatching(/^role: tester has more rights than hubs need: .*SUPERUSER/),
      )
      const here = await copyForRole()
      await here.sql(`grant pg_read_all_data to ${roleOfHub}`)
      const reading = await examine(here)
      await here.sql(`revoke pg_read_all_data from ${roleOfHub}`)
      expect(reading.of('warning')).toContain(
        'role: latchkey_hub has more rights than hubs need: member of pg_read_all_data',
      )
    })
  })

  describe('the clock', () => {
    test('of this machine is an hour ahead of the database', async () => {
      const { of } = await examineAhead(await copy(), hourMs)
      expect(of('wrong')).toEqual([
        expect.stringMatching(/^clock: the database is (?:59|60) minutes behind this machine$/),
      ])
    })

    test('was ahead when the last entry was made', async () => {
      const here = await copy()
      await here.sql(`update latchkey_hub.journal set at_milliseconds = at_milliseconds + ${2 * hourMs}
        where number = (select number from latchkey_hub.journal_head)`)
      await expectWrong(here, [
        /^journal: the last entry was made .* ahead of this machine's clock$/,
      ])
    })
  })

  describe('the journal', () => {
    test.each([
      ['its last entry', '=', /^journal: the last entry is \d+, and should be \d+$/],
      ['entries before', '<', /^journal: entries before \d+ are missing: it follows \d+$/],
    ])('lacks %s', async (_, which, line) => {
      const here = await copy()
      await here.sql(`delete from latchkey_hub.journal where number ${which}
        (select number from latchkey_hub.journal_head) ${which === '=' ? '' : 'and previous > 0 and number = (select max(previous) from latchkey_hub.journal)'}`)
      await expectWrong(here, [line])
    })
  })

  describe('the keys', () => {
    test('have no master key, or another one', async () => {
      const here = await copy()
      renameSync(join(here.data, 'master.key'), join(here.cwd, 'kept.key'))
      await expectWrong(here, [/^master key: .*master\.key/])
      const other = Buffer.alloc(32, 7).toString('base64')
      const { of, findings } = await examine(here, [], { LATCHKEY_MASTER_KEY: other })
      expect(of('wrong')).toEqual([expect.stringMatching(/^master key: /)])
      expect(JSON.stringify(findings)).not.toContain(other)
    })

    test('do not sign, while the hub does not run: a warning', async () => {
      const here = await copy()
      await here.sql(`delete from latchkey_hub.signing_keys where purpose = 'tokens'`)
      const { of } = await examine(here)
      expect([of('wrong'), of('warning')]).toEqual([
        [],
        expect.arrayContaining(['signing keys: no key signs storage tokens']),
      ])
    })
  })

  test('the tables were put back from a dump, while the hub does not run: a warning', async () => {
    const here = await copy()
    await here.sql(String.raw`update latchkey_hub.settings
      set value = regexp_replace(value, '^(\S+ \S+).*', '\1 1') where name = 'postgres server'`)
    const { of } = await examine(here)
    expect([of('wrong'), of('warning')]).toEqual([
      [],
      expect.arrayContaining(['same server: the tables were made again: a dump was put back']),
    ])
  })

  test('the catalogue of the embedded storage is looked at as beside a file', async () => {
    const here = await copy()
    rmSync(join(here.data, 'storage.db'))
    const { of } = await examine(here)
    expect(of('skipped')).toContainEqual(expect.stringMatching(/^catalogue: there is no .*storage/))
  })

  describe("the storage's catalogue in PostgreSQL", () => {
    const lines = (of: (result: string) => readonly string[], result: string) =>
      of(result).filter((line) => /^(?:catalogue|following): /.test(line))

    /** Beside a hub that has its database elsewhere. */
    async function withCatalogue(role?: string) {
      const here = await copy()
      const name = await cluster().createDatabase()
      onTestFinished(() => cluster().dropDatabase(name))
      const env = { ...here.env, LATCHKEY_STORAGE_DATABASE: cluster().url(name) }
      const asRole = { ...env, LATCHKEY_STORAGE_DATABASE: cluster().url(name, role) }
      const sql = (text: string) => cluster().sql(text, name)
      const migrate = () => latchkeyHere(['migrate', '--only', 'storage'], { cwd: here.cwd, env })
      return { ...here, env: asRole, sql, migrate }
    }

    test('has no tables yet, then is well, and is followed while the storage runs', async () => {
      const here = await withCatalogue()
      const empty = (await examine(here)).of
      expect(lines(empty, 'warning')[0]).toBe('catalogue: latchkey_storage has no tables yet')
      expect(lines(empty, 'skipped')).toContain(
        'following: not looked at: the catalogue cannot be read',
      )
      expect(await here.sql(`select 1 from pg_namespace where nspname = 'latchkey_storage'`)).toBe(
        '',
      )
      await serve(here)
      const { of } = await examine(here)
      expect([of('wrong'), lines(of, 'skipped')]).toEqual([[], []])
      expect(lines(of, 'good')).toEqual([
        expect.stringMatching(/^catalogue: PostgreSQL \d+\.\d+ at .* answers and takes changes$/),
        expect.stringMatching(/^catalogue: latchkey_storage has version \d+, as this program/),
        'catalogue: tester owns the tables, and so migrates them at a start',
        expect.stringMatching(/^following: the storage has followed the journal to its end/),
      ])
      expect(lines(of, 'warning')).toEqual([
        expect.stringMatching(/^catalogue: tester has more rights than storages need: .*SUPERUSER/),
      ])
    }, 120_000)

    test('is newer, lacks a table or a right, or is away', async () => {
      const role = 'latchkey_storage'
      const exists = await cluster().sql(`select 1 from pg_roles where rolname = '${role}'`)
      if (exists === '') await cluster().createRole(role)
      const here = await withCatalogue(role)
      expect(await here.migrate()).toMatchObject({ code: 0 })
      await here.sql(`grant usage on schema latchkey_storage to ${role};
        grant select, insert, update, delete on all tables in schema latchkey_storage to ${role}`)
      expect((await examine(here)).of('wrong')).toEqual([])
      const told = async (statement: string) => {
        await here.sql(statement)
        return (await examine(here)).of('wrong')
      }
      expect(await told(`revoke update on latchkey_storage.hub_link from ${role}`)).toEqual([
        'catalogue: latchkey_storage lacks UPDATE on hub_link',
      ])
      await here.sql(`grant update on latchkey_storage.hub_link to ${role}`)
      expect(await told('drop table latchkey_storage.epoch_outbox')).toEqual([
        expect.stringMatching(/^catalogue: .* but not all tables: epoch_outbox$/),
      ])
      expect(await told('update latchkey_storage.schema_version set version = 99')).toEqual([
        expect.stringMatching(
          /^catalogue: latchkey_storage has version 99, and this program knows/,
        ),
      ])
      const env = { ...here.env, LATCHKEY_STORAGE_DATABASE: 'postgres://ada@127.0.0.1:1/lost' }
      expect((await examine({ ...here, env })).of('wrong')).toEqual([
        expect.stringMatching(
          /^catalogue: PostgreSQL \(127\.0\.0\.1:1, .*: nothing listens there$/,
        ),
      ])
    })
  })
})
