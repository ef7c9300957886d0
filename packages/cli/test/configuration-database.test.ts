/** The address of a PostgreSQL: where it may come from, and that its password is shown nowhere. */

import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { storeSettings } from '../src/configuration/hub-settings.ts'
import { type Flags, readConfiguration } from '../src/configuration/read-configuration.ts'
import { lineOf } from './line-of.ts'
import { latchkeyHere } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'

const secret = 'canary-5%25'
const url = `postgres://ada:${secret}@db.example:6000/hubs`
const place = { host: 'db.example', port: 6000, user: 'ada', database: 'hubs' }

function databaseFrom(flags: Flags, environment: Record<string, string> = {}) {
  const { database } = storeSettings(readConfiguration(flags, environment).values)
  if (typeof database === 'string') throw new Error('no PostgreSQL')
  return database
}

function file(text: string, mode: number): string {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

describe('a password is refused', () => {
  it.each([
    ['before the host', url],
    ['among the parameters', `postgres://db.example/hubs?password=${secret}`],
    ['with characters that are not escaped', `postgres://ada:${secret}/?@db.example/hubs`],
    ['in place of a port', `postgres://ada:${secret}?x=1@db.example/hubs`],
    ['with an @ that is not escaped', `postgres://ada:@${secret}@db.example/hubs`],
    ['for another kind of database', `mysql://ada:${secret}@db.example/hubs`],
  ])('as a flag, %s', async (_, database) => {
    const line = lineOf(() => databaseFrom({ database }))
    expect(line).toMatch(/^--database: a password in an argument shows in process lists/)
    expect(line).toContain('PGPASSWORD')
    expect(line).toContain('LATCHKEY_DATABASE_FILE')
    expect(line).not.toContain('canary')
    expect(line).not.toContain('\n')
    const cwd = temporaryDirectory()
    const args = ['account', 'list', '--database', database]
    const { code, stdout, stderr } = await latchkeyHere(args, { cwd })
    expect(code).toBe(2)
    expect(stdout + stderr).not.toContain('canary')
  })

  it('in a configuration file that others can read', () => {
    const config = file(JSON.stringify({ database: url }), 0o640)
    const line = lineOf(() => databaseFrom({ config }))
    expect(line).toMatch(/database in \S+ holds a secret, but others can read the file/)
    expect(line).not.toContain('canary')
  })

  it.each([
    ['its characters are not escaped', `postgres://ada:${secret}/?@db.example/hubs`],
    ['it has an @ of its own', `postgres://ada:@${secret}@db.example/hubs`],
    ['the rest is of another kind', `mysql://ada:${secret}@db.example/hubs`],
    ['a parameter is not known', `${url}?wrong=1`],
    ['its port is none', url.replace('6000', 'port')],
  ])('wherever it comes from, without being repeated, when %s', (_, LATCHKEY_DATABASE) => {
    const line = lineOf(() => databaseFrom({}, { LATCHKEY_DATABASE }))
    expect(line).not.toContain('canary')
    expect(line).not.toContain('\n')
  })
})

describe('the address is taken', () => {
  it('with a password from the environment, which loses it', () => {
    const environment: Record<string, string> = { LATCHKEY_DATABASE: url }
    const database = databaseFrom({}, environment)
    expect(database).toMatchObject(place)
    expect(database.password?.reveal()).toBe('canary-5%')
    expect(environment).toEqual({})
    expect(inspect(database, { depth: 9 }) + JSON.stringify(database)).not.toContain('canary')
  })

  it('from the file that LATCHKEY_DATABASE_FILE names', () => {
    const environment = { LATCHKEY_DATABASE_FILE: file(`${url}\n`, 0o600) }
    expect(databaseFrom({}, environment)).toMatchObject(place)
  })

  it('from a configuration file for its owner only', () => {
    const config = file(JSON.stringify({ database: url }), 0o600)
    expect(databaseFrom({ config }).password?.reveal()).toBe('canary-5%')
  })

  it('without a password from a flag and from a file for all', () => {
    const database = 'postgres://ada@db.example:6000/hubs'
    expect(databaseFrom({ database })).toMatchObject(place)
    const named = 'postgres://db.example:6000/hubs?user=ada@example'
    expect(databaseFrom({ database: named }).user).toBe('ada@example')
    expect(databaseFrom({ database: 'postgres://ada@[::1]:6000/hubs' }).host).toBe('::1')
    const config = file(JSON.stringify({ database }), 0o644)
    expect(databaseFrom({ config })).toMatchObject(place)
  })

  it('before the configuration, where a flag names a file', () => {
    const { values } = readConfiguration(
      { database: 'sqlite:a.db' },
      { LATCHKEY_DATABASE: 'postgres://db.example' },
    )
    expect(storeSettings(values).database).toBe('sqlite:a.db')
  })
})

describe("the storage's database", () => {
  const catalogueFrom = (flags: Flags, environment: Record<string, string> = {}) =>
    readConfiguration(flags, environment).values.storageDatabase

  it('is refused as a flag with a password, which is not repeated', async () => {
    for (const storageDatabase of [url, `postgres://db.example/hubs?password=${secret}`]) {
      const line = lineOf(() => catalogueFrom({ storageDatabase }))
      expect(line).toMatch(/^--storage-database: a password in an argument shows in process lists/)
      expect(line).toContain('LATCHKEY_STORAGE_DATABASE_FILE')
      expect(line).not.toContain('canary')
    }
    const cwd = temporaryDirectory()
    for (const command of [
      ['serve'],
      ['storage', 'serve'],
      ['storage', 'usage'],
      ['doctor'],
      ['migrate'],
      ['backup', 'copy'],
    ]) {
      const args = [...command, '--storage-database', url]
      const { stdout, stderr } = await latchkeyHere(args, { cwd })
      expect(stdout + stderr).toContain('--storage-database: a password in an argument shows')
      expect(stdout + stderr).not.toContain('canary')
    }
  })

  it('is taken with a password from the environment, a file or the configuration', () => {
    const config = file(JSON.stringify({ storageDatabase: url }), 0o600)
    const given = [
      catalogueFrom({}, { LATCHKEY_STORAGE_DATABASE: url }),
      catalogueFrom({}, { LATCHKEY_STORAGE_DATABASE_FILE: file(`${url}\n`, 0o600) }),
      catalogueFrom({ config }),
    ]
    for (const address of given) {
      expect(typeof address === 'string' ? address : address.reveal()).toBe(url)
    }
    const open = file(JSON.stringify({ storageDatabase: url }), 0o640)
    expect(lineOf(() => catalogueFrom({ config: open }))).toMatch(
      /storageDatabase in \S+ holds a secret, but others can read the file/,
    )
  })

  it('is the file of the data directory where a flag says so, and no other file', () => {
    const environment = { LATCHKEY_STORAGE_DATABASE: url }
    const storageDatabase = 'sqlite:storage.db'
    expect(catalogueFrom({ storageDatabase }, environment)).toBe(storageDatabase)
    expect(lineOf(() => catalogueFrom({ storageDatabase: 'sqlite:other.db' }))).toMatch(
      /^--storage-database: "sqlite:other.db" is not allowed; give sqlite:storage.db or postgres:/,
    )
  })
})

it('commands that need no database do not read the files that its address names', () => {
  const LATCHKEY_DATABASE = 'postgres://db.example/x?sslmode=verify-full&sslrootcert=/no/such/file'
  const { values } = readConfiguration({}, { LATCHKEY_DATABASE })
  expect(values.port).toBe(undefined)
  expect(lineOf(() => storeSettings(values))).toMatch(/\/no\/such\/file/)
})
