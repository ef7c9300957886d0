/** The catalogue of a storage is copied from its file to PostgreSQL and back, whole. */

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { complaints } from '@latchkey/testing/hub/dump'
import { copyOfData, sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { prepareCatalogue } from './full-catalogue.ts'
import { expectSame, rowsIn } from './full-directory.ts'

const isMissing = isPostgresMissing('it is not shown that a catalogue is copied whole')

describe.skipIf(isMissing)('latchkey migrate --only storage --from --to', () => {
  const shared = sharedFolder()
  let original = ''
  let server: OwnDatabase
  beforeAll(async () => {
    original = await prepareCatalogue(join(shared, 'data'))
    server = await ownDatabase()
  })

  let cwd = ''
  let data = ''
  let env: Record<string, string> = {}
  let to = ''
  beforeEach(async () => {
    await server.sql('drop schema if exists latchkey_storage cascade')
    cwd = temporaryFolder()
    data = copyOfData(join(shared, 'data'), join(cwd, 'latchkey-storage-data'))
    to = `postgres://tester@127.0.0.1:${server.cluster.port}/${server.name}`
    env = { PGPASSWORD: server.cluster.password }
  })

  const run = (...args: readonly string[]) =>
    latchkeyHere(['migrate', '--only', 'storage', ...args], { cwd, env })
  const done = async (...args: readonly string[]) => {
    const ended = await run(...args)
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    return ended.stderr
  }

  test('every row is the same after the way there and back', async () => {
    const before = rowsIn(original)
    // Where nothing else is, the directory of a storage alone is meant.
    const there = await done('--from', 'sqlite:storage.db', '--to', to)
    expect(there).toMatch(
      /^copied and compared \d+ rows\nfrom the database \S+storage.db\nto Postgr/,
    )
    expect(there).not.toContain(env['PGPASSWORD'])
    expectSame(rowsIn(join(data, 'storage.db')), before)
    const back = await done('--from', to, '--to', 'sqlite:back.db')
    expect(back).toMatch(/changes since the copy began are not in it/)
    const file = join(data, 'back.db')
    expectSame(rowsIn(file), before)
    expect(complaints(file)).toEqual([])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('positions go on after the largest one', async () => {
    await done('--to', to)
    const [largest, next] =
      (
        await server.sql(
          `insert into latchkey_storage.epoch_outbox (repository_uid) values ('a') returning 0;
         insert into latchkey_storage.stored_files (ref_uid, hash, repository_uid, bytes, terms, written_at, stamp)
           values ('a', 'b', 'c', 0, '', 1790000000, 1);
         select (select max(position) from latchkey_storage.stored_files where ref_uid <> 'a') || '|' || position
           from latchkey_storage.stored_files where ref_uid = 'a'`,
        )
      )
        .split('\n')
        .at(-1)
        ?.split('|')
        .map(Number) ?? []
    expect(next).toBe(Number(largest) + 1)
    expect(await server.sql('select max(position) from latchkey_storage.epoch_outbox')).toBe('8')
  })

  test('a target with rows is refused, and stays as it is', async () => {
    await done('--to', to)
    const again = await run('--from', 'sqlite:storage.db', '--to', to)
    expect(again.code).toBe(1)
    expect(again.stderr).toMatch(/^latchkey: PostgreSQL \([^\n]+ is not empty [^\n]+\n$/)
    const over = await run('--from', to)
    expect(over.code).toBe(1)
    expect(over.stderr).toMatch(/storage.db is not empty/)
    expectSame(rowsIn(join(data, 'storage.db')), rowsIn(original))
  })

  test('the file of the other side is refused, and the flag named', async () => {
    const hub = await latchkeyHere(['migrate', '--from', `sqlite:${data}/storage.db`, '--to', to], {
      cwd,
      env,
    })
    expect(hub.code).toBe(3)
    expect(hub.stderr).toMatch(/holds the catalogue of a storage. Say --only storage to copy that/)
    await latchkeyHere(['account', 'create', 'ada', '--data', 'hub'], { cwd })
    const directory = `sqlite:${join(cwd, 'hub', 'latchkey.db')}`
    for (const args of [
      ['--from', directory, '--to', to],
      ['--from', 'sqlite:storage.db', '--to', directory],
    ]) {
      const { code, stderr } = await run(...args)
      expect(code).toBe(3)
      expect(stderr).toMatch(/holds the directory of a hub. Leave out --only storage/)
    }
  })

  test('a source that is not there is one line', async () => {
    const missing = await run('--from', 'sqlite:none.db', '--to', to)
    expect(missing).toMatchObject({ code: 3 })
    expect(missing.stderr).toMatch(/^latchkey: there is no catalogue \S+none.db. [^\n]+\n$/)
    const empty = await run('--from', to, '--to', 'sqlite:new.db')
    expect(empty).toMatchObject({ code: 3 })
    expect(empty.stderr).toMatch(/has no schema latchkey_storage of this program's version/)
    expect(existsSync(join(data, 'new.db'))).toBe(false)
  })

  test('a row that is another one in the copy is found, and the target stays empty', async () => {
    await done('--storage-database', to)
    await server.sql(`
      create function latchkey_storage.spoil() returns trigger language plpgsql as
        $$ begin new.terms := new.terms || '!'; return new; end $$;
      create trigger spoil before insert on latchkey_storage.stored_files
        for each row execute function latchkey_storage.spoil()`)
    const spoilt = await run('--to', to)
    expect(spoilt.code).toBe(1)
    expect(spoilt.stderr).toMatch(/differs from the source \(stored_files, position 1\)/)
    expect(await server.sql('select count(*) from latchkey_storage.stored_xorbs')).toBe('0')
    await server.sql('drop trigger spoil on latchkey_storage.stored_files')
    await done('--from', 'sqlite:storage.db', '--to', to)
    mkdirSync(join(data, 'objects'))
    const usage = ['storage', 'usage', '--storage-database', to]
    expect(await latchkeyHere(usage, { cwd, env })).toMatchObject({ code: 0 })
  })
})
