/** A storage whose catalogue is in PostgreSQL: it serves, and every maintenance command works on it. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { temporaryDirectory } from '../run-latchkey.ts'
import { filledDirectory } from './content.ts'
import { openRunningStorage, processesOf } from './running-storage.ts'

const bert = 'models/acme/bert'
const isMissing = isPostgresMissing('a storage with its catalogue there is not shown')

describe.skipIf(isMissing)('with the catalogue in PostgreSQL', () => {
  let own: OwnDatabase
  let other: OwnDatabase
  let env: Record<string, string>
  beforeAll(async () => {
    own = await ownDatabase()
    other = await ownDatabase()
    // The storage's process has another environment: what is known here must reach it.
    env = { LATCHKEY_STORAGE_DATABASE: addressOf(own), PGPASSWORD: own.cluster.password }
  })
  // Each test has hubs and a catalogue of its own.
  beforeEach(async () => {
    await own.sql('drop schema if exists latchkey_storage cascade')
  })

  it('content goes in and is measured, verified, collected, compared, forgotten; no file has it', async () => {
    const { cwd, run, held, put, look, output } = await openRunningStorage(env, processesOf)
    const token = await held()
    expect([await put(token), await look(token)]).toEqual([200, 200])
    const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)
    expect(await json('storage', 'usage')).toMatchObject({
      repositories: [{ repository: bert, objects: 2 }],
    })
    expect(await json('storage', 'verify', '--content')).toMatchObject({ objects: 1 })
    expect(await json('storage', 'gc', '--delete')).toMatchObject({
      deleted: true,
      xorbs: { count: 0 },
    })
    expect(await json('storage', 'reconcile')).toMatchObject({ orphans: [] })
    await run('storage', 'rotate-key')
    await run('storage', 'reset-urls', bert)
    const hash = await own.sql('SELECT hash FROM latchkey_storage.stored_xorbs')
    await run('storage', 'delete', bert, hash, '--yes')
    expect(await own.sql('SELECT count(*) FROM latchkey_storage.stored_xorbs')).toBe('0')
    expect(existsSync(join(cwd, 'latchkey-data', 'storage.db'))).toBe(false)

    const { password } = own.cluster
    const { stdout, stderr } = output()
    expect(stdout + stderr).not.toContain(password)
    expect(argumentsOfAll().filter((text) => text.includes(password))).toEqual([])
  })

  it('is backed up with its content while it runs, restored into files, and copied back', async () => {
    const { cwd, run, held, put, look } = await openRunningStorage({
      ...env,
      // In the process of the test no variable has the password.
      LATCHKEY_STORAGE_DATABASE: own.url,
    })
    const token = await held()
    expect([await put(token), await look(token)]).toEqual([200, 200])
    const verified = async (...args: string[]) =>
      JSON.parse((await run('storage', 'verify', '--content', '--json', ...args)).stdout)
    const before = await verified()
    expect(before).toMatchObject({ objects: 1 })

    const { stderr } = await run('backup', 'copy')
    expect(stderr).toMatch(/^the backup is in copy: the hub up to journal entry \d+; 1 object, /)
    const manifest = JSON.parse(readFileSync(join(cwd, 'copy', 'backup.json'), 'utf8'))
    expect(manifest).toMatchObject({ catalogue: 'storage.db', objects: { count: 1 }, missing: 0 })

    const into = ['restore', 'copy', '--data', 'new', '--journal', 'latchkey-data']
    const refused = await latchkey(into, { cwd, env })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(
      /^latchkey: a backup is restored into files: give --storage-database sqlite:storage.db, and then .*migrate --only storage/,
    )
    expect(existsSync(join(cwd, 'new'))).toBe(false)
    const inFile = ['--storage-database', 'sqlite:storage.db']
    await run(...into, ...inFile)
    expect(await verified('--data', 'new', ...inFile)).toEqual(before)

    const migrate = ['migrate', '--only', 'storage', '--from', 'sqlite:storage.db', '--data', 'new']
    await run(...migrate, '--to', addressOf(other))
    expect(await verified('--data', 'new', '--storage-database', addressOf(other))).toEqual(before)
  })

  it('a hub that is restored alone gives no number that the catalogue has heard of', async () => {
    const cwd = temporaryDirectory()
    const run = async (...args: string[]) => {
      const ended = await latchkey(args, { cwd, env })
      expect(ended, ended.stderr).toMatchObject({ code: 0 })
      return ended.stdout
    }
    await run('account', 'create', 'ada')
    await run('migrate', '--only', 'storage')
    await run('backup', 'copy')
    const ahead = Date.now() + 3_600_000
    await own.sql(`update latchkey_storage.hub_link set known = ${ahead}`)
    await run('restore', 'copy', '--data', 'new', '--only', 'hub')
    const lines = (await run('changes', '--data', 'new', '--json')).trim().split('\n')
    const numbers = lines.map((line) => Number(JSON.parse(line).number))
    expect(Math.max(...numbers)).toBeGreaterThan(ahead)
    const away = { ...env, LATCHKEY_STORAGE_DATABASE: 'postgres://ada@127.0.0.1:1/lost' }
    const args = ['restore', 'copy', '--data', 'other', '--only', 'hub']
    const { code, stderr } = await latchkey(args, { cwd, env: away })
    expect(code).toBe(3)
    expect(stderr).toMatch(/nothing listens there/)
    expect(existsSync(join(cwd, 'other'))).toBe(false)
  })

  it('an address that is none is one line, which does not show it', async () => {
    const cwd = await filledDirectory()
    for (const address of ['postgres://u:hush-hush@h/d?no=1', 'mysql://u:hush-hush@h/d']) {
      const { code, stderr } = await latchkey(['storage', 'usage'], {
        cwd,
        env: { LATCHKEY_STORAGE_DATABASE: address },
      })
      expect(code).toBe(2)
      expect(stderr).toMatch(/^latchkey: LATCHKEY_STORAGE_DATABASE: [^\n]+\n$/)
      expect(stderr).not.toContain('hush-hush')
    }
  })
})

function addressOf({ cluster, name }: OwnDatabase): string {
  return `postgres://tester@127.0.0.1:${cluster.port}/${name}`
}

function argumentsOfAll(): readonly string[] {
  return globSync('/proc/[0-9]*/cmdline').map((file) => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  })
}
