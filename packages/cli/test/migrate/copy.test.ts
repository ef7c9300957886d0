/** A directory is copied from SQLite to PostgreSQL and back, whole. */

import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { complaints } from '@latchkey/testing/hub/dump'
import type { Prepared } from '@latchkey/testing/hub/prepared-data'
import { copyOfData, sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { serve } from '../run-latchkey.ts'
import { hubHere } from '../serve-here.ts'
import { expectSame, prepareFull, rowsIn } from './full-directory.ts'

const isMissing = isPostgresMissing('it is not shown that a directory is copied whole')

describe.skipIf(isMissing)('latchkey migrate --from --to', () => {
  const shared = sharedFolder()
  let full: Prepared
  let server: OwnDatabase
  beforeAll(async () => {
    full = await prepareFull(shared)
    server = await ownDatabase()
  })

  let cwd = ''
  let data = ''
  let env: Record<string, string> = {}
  let to = ''
  beforeEach(async () => {
    await server.sql('drop schema if exists latchkey_hub cascade')
    cwd = temporaryFolder()
    data = copyOfData(full.data, join(cwd, 'data'))
    const { hostname, port, pathname, username, password } = new URL(server.url)
    to = `postgres://${username}@${hostname}:${port}${pathname}`
    env = { PGPASSWORD: password }
  })

  const run = (...args: readonly string[]) => latchkeyHere([...args, '--data', data], { cwd, env })
  const done = async (...args: readonly string[]) => {
    const ended = await run(...args)
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    return ended
  }

  test('every row is the same after the way there and back', async () => {
    const before = rowsIn(full.database)
    const there = await done('migrate', '--from', 'sqlite:latchkey.db', '--to', to)
    expect(there.stderr).toMatch(/^copied and compared \d+ rows, up to journal entry \d+\n/)
    expect(there.stderr).not.toContain(env['PGPASSWORD'])
    await done('migrate', '--from', to, '--to', 'sqlite:back.db')
    const back = join(data, 'back.db')
    expectSame(rowsIn(back), before)
    expect(complaints(back)).toEqual([])
    expect(statSync(back).mode & 0o777).toBe(0o600)
    expectSame(rowsIn(join(data, 'latchkey.db')), before)
  })

  test('a hub goes on with the copy: tokens, keys, positions and journal numbers', async () => {
    await done('migrate', '--to', to)
    const before = rowsIn(full.database)
    const last = Number(before['journal_head']?.[0]?.['number'])
    const places = (before['refs'] ?? []).map(({ position }) => Number(position))
    await done('ref', 'set', 'models/acme/bert', 'after', '--from', 'main', '--database', to)
    const [number = 0, position = 0, lowest = 0] = (
      await server.sql(
        `select number, (select position from latchkey_hub.refs where name = 'refs/heads/after'),
           (select min(number) from latchkey_hub.journal where number > ${last})
         from latchkey_hub.journal_head`,
      )
    )
      .split('|')
      .map(Number)
    expect(number).toBeGreaterThan(last)
    expect(lowest).toBeGreaterThan(last)
    expect(position).toBeGreaterThan(Math.max(...places))
    const flags = { storage: false, stopDeadlineSeconds: '1' }
    const hub = await hubHere(data, flags, { LATCHKEY_DATABASE: server.url })
    onTestFinished(hub.stop)
    const asked = await latchkeyHere(['token', 'write', 'models/acme/bert@after'], {
      cwd,
      env: { LATCHKEY_HUB: hub.url, LATCHKEY_HUB_TOKEN: full.tokens['maintainer/write'] ?? '' },
    })
    expect(asked, asked.stderr).toMatchObject({ code: 0 })
    const keys = await server.sql('select string_agg(kid, $$ $$) from latchkey_hub.signing_keys')
    expect(keys.split(' ').sort()).toEqual(
      (before['signing_keys'] ?? []).map(({ kid }) => kid).sort(),
    )
  })

  test('a target with rows is refused, and stays as it is', async () => {
    await done('account', 'create', 'ada', '--administrator', '--database', to)
    const accounts = 'select string_agg(name, $$ $$) from latchkey_hub.accounts'
    const { code, stderr } = await run('migrate', '--to', to)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^latchkey: PostgreSQL \([^\n]+ is not empty [^\n]+\n$/)
    expect(await server.sql(accounts)).toBe('ada')
    const other = await run('migrate', '--from', to, '--to', 'sqlite:latchkey.db')
    expect(other.code).toBe(1)
    expect(other.stderr).toMatch(/latchkey.db is not empty/)
    expectSame(rowsIn(join(data, 'latchkey.db')), rowsIn(full.database))
  })

  test('a file that a hub has open is refused', async () => {
    await serve(['--data', 'data', '--no-storage'], { cwd })
    const { code, stderr } = await run('migrate', '--to', to)
    expect(code).toBe(3)
    expect(stderr).toMatch(/^latchkey: the database \S+ is open in another process, [^\n]+\n$/)
  })

  test('a source or a target that is not there is one line', async () => {
    const missing = await run('migrate', '--from', 'sqlite:none.db', '--to', to)
    expect(missing).toMatchObject({ code: 3 })
    expect(missing.stderr).toMatch(/^latchkey: there is no database \S+none.db. [^\n]+\n$/)
    expect(existsSync(join(data, 'none.db'))).toBe(false)
    const empty = await run('migrate', '--from', to, '--to', 'sqlite:new.db')
    expect(empty).toMatchObject({ code: 3 })
    expect(empty.stderr).toMatch(/has no schema latchkey_hub of this program's version/)
    expect(existsSync(join(data, 'new.db'))).toBe(false)
    const away = await run('migrate', '--to', 'postgres://ada@127.0.0.1:1/x')
    expect(away).toMatchObject({ code: 3 })
    expect(away.stderr).toMatch(/nothing listens there/)
  })

  test('a row that is another one in the copy is found, and the target stays empty', async () => {
    await done('migrate', '--database', to)
    await server.sql(`
      create function latchkey_hub.spoil() returns trigger language plpgsql as
        $$ begin new.name := new.name || '!'; return new; end $$;
      create trigger spoil before insert on latchkey_hub.hub_tokens
        for each row execute function latchkey_hub.spoil()`)
    const { code, stderr } = await run('migrate', '--to', to)
    expect(code).toBe(1)
    expect(stderr).toMatch(/differs from the source \(hub_tokens, id \S+\), so [^\n]+ is empty\. /)
    expect(await server.sql('select count(*) from latchkey_hub.accounts')).toBe('0')
    await server.sql('drop trigger spoil on latchkey_hub.hub_tokens')
    await done('migrate', '--to', to)
    await done('account', 'list', '--database', to)
  })

  test('a backup of a directory in PostgreSQL has every row, and can be restored', async () => {
    await done('migrate', '--to', to)
    await done('backup', 'copy', '--database', to)
    expectSame(rowsIn(join(cwd, 'copy', 'latchkey.db')), rowsIn(full.database))
    const into = ['restore', 'copy', '--journal', join(data, 'latchkey.db')]
    const refused = await latchkeyHere([...into, '--data', 'new', '--database', to], { cwd, env })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/restored into a file: give --database sqlite:latchkey.db/)
    const restored = await latchkeyHere([...into, '--data', 'new'], { cwd })
    expect(restored, restored.stderr).toMatchObject({ code: 0 })
  })
})
