/** A storage whose catalogue is in PostgreSQL: it serves, and every upkeep command works on it. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, describe, expect, it } from 'vitest'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { openRunningStorage } from './running-storage.ts'

const bert = 'models/acme/bert'
const isMissing = isPostgresMissing('a storage with its catalogue there is not shown')

describe.skipIf(isMissing)('with the catalogue in PostgreSQL', () => {
  let own: OwnDatabase
  let env: Record<string, string>
  beforeAll(async () => {
    own = await ownDatabase()
    const { port, password } = own.cluster
    const address = `postgres://tester@127.0.0.1:${port}/${own.name}`
    // The storage's process has another environment: what is known here must reach it.
    env = { LATCHKEY_STORAGE_DATABASE: address, PGPASSWORD: password }
  })

  it('content goes in and is measured, verified, collected, compared, forgotten; no file has it', async () => {
    const { cwd, run, held, put, look, output } = await openRunningStorage(env)
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
    await run('storage', 'readdress', bert)
    const hash = await own.sql('SELECT hash FROM latchkey_storage.stored_xorbs')
    await run('storage', 'forget', bert, hash, '--yes')
    expect(await own.sql('SELECT count(*) FROM latchkey_storage.stored_xorbs')).toBe('0')
    expect(existsSync(join(cwd, 'latchkey-data', 'storage.db'))).toBe(false)

    const { password } = own.cluster
    const { stdout, stderr } = output()
    expect(stdout + stderr).not.toContain(password)
    expect(argumentsOfAll().filter((text) => text.includes(password))).toEqual([])

    const copied = await latchkey(['backup', 'copy'], { cwd, env })
    expect(copied.code).toBe(3)
    expect(copied.stderr).toMatch(
      /^latchkey: the catalogue .* pg_dump --schema=latchkey_storage.*\n$/,
    )
  })

  it('an address that is none is one line, which does not show it', async () => {
    const { cwd } = await openRunningStorage()
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

function argumentsOfAll(): readonly string[] {
  return globSync('/proc/[0-9]*/cmdline').map((file) => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  })
}
