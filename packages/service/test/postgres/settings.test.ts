/** The address of a database means what it means to libpq, and its password is shown to nobody. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { CannotStart } from '@latchkey/service/machine/errors'
import {
  carriesPassword,
  isPostgresUrl,
  readPostgresSettings,
  withoutPassword,
} from '@latchkey/service/postgres'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

const nowhere = '/nonexistent'

function read(url: string, environment: Record<string, string> = {}, home = nowhere) {
  return readPostgresSettings(url, { environment, home })
}

test.each([
  ['postgres://host/db?sslmode=verify', 'sslmode=verify is not known'],
  ['postgres://host/db?target_session_attrs=any', 'not known: target_session_attrs'],
  ['postgres://host:70000/db', 'port=70000'],
  ['postgres://host:/db?port=x', 'port=x'],
  ['postgres://host/db?connect_timeout=0', 'connect_timeout=0'],
  ['postgres://one,two/db', 'several hosts'],
  ['postgres://us%zzer@host/db', '%25'],
  ['mysql://host/db', 'postgres://USER@HOST:PORT/DATABASE'],
  ['postgres://host/db?sslmode=verify-ca', '/nonexistent/.postgresql/root.crt (sslrootcert)'],
  ['postgres://host/db?sslcert=/nonexistent/own.crt', '/nonexistent/own.crt (sslcert)'],
  ['postgres://host/db?sslrootcert=system&sslmode=require', 'needs sslmode=verify-full'],
])('%s is refused in one line', (url, line) => {
  expect(() => read(url)).toThrow(CannotStart)
  expect(() => read(url)).toThrow(line)
  expect(() => read(url)).not.toThrow('\n')
})

test('no mistake in an address shows its password', () => {
  const mistakes = ['?x=1', '?sslmode=x', ':x/db', '/%zz', '?password=hunter2secret&y=1', ',b/db']
  for (const mistake of mistakes) {
    const url = `postgres://user:hunter2secret@host${mistake}`
    expect(() => read(url)).toThrow(CannotStart)
    expect(() => read(url)).not.toThrow('hunter2secret')
  }
})

test('the settings, printed in any way, show no password', () => {
  const settings = read('postgres://user:hunter2secret@host/db')
  expect(settings.password?.reveal()).toBe('hunter2secret')
  expect(`${inspect(settings, { depth: 9 })}${JSON.stringify(settings)}`).not.toContain('hunter2')
})

test('an address tells whether it carries a password, and is shown without it', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/)
  const password = fc.stringMatching(/^[A-Z!:;,.#$&*+=~%-]{6,20}$/)
  fc.assert(
    fc.property(word, password, word, (user, secret, host) => {
      const inLogin = `postgres://${user}:${secret}@${host}/db?sslmode=disable`
      const inQuery = `postgresql://${user}@${host}/db?password=${encodeURIComponent(secret)}`
      for (const url of [inLogin, inQuery]) {
        expect(carriesPassword(url)).toBe(true)
        expect(withoutPassword(url)).not.toContain(secret)
        expect(withoutPassword(url)).toContain(`//${user}@${host}/db`)
      }
    }),
  )
  const without = 'postgres://user@host:5432/db?sslmode=disable'
  expect(carriesPassword(without)).toBe(false)
  expect(withoutPassword(without)).toBe(without)
  expect(withoutPassword('postgres://user:a/b?c@host/db')).not.toContain('a/b')
  expect([without, 'postgresql:///db', 'sqlite:a', '/data'].map(isPostgresUrl)).toEqual([
    ...[true, true, false, false],
  ])
})

/** Any that a text can hold. */
const character = fc
  .integer({ min: 1, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))

test('any login, host and database come out of an address as they were put in', () => {
  const text = fc.string({ minLength: 1, unit: character })
  fc.assert(
    fc.property(text, text, text, fc.integer({ min: 1, max: 65_535 }), (user, secret, db, port) => {
      const [name, password, database] = [user, secret, db].map(encodeURIComponent)
      const settings = read(`postgres://${name}:${password}@[::1]:${port}/${database}`)
      expect(settings).toMatchObject({ host: '::1', port, user, database: db })
      expect(settings.password?.reveal()).toBe(secret)
    }),
  )
})

test.each([
  ['postgres:///db?host=/run/postgresql', '/run/postgresql'],
  ['postgres://%2Frun%2Fpostgresql/db', '/run/postgresql'],
  ['postgres://user@/db?host=/tmp&sslmode=verify-full', '/tmp'],
])('%s is a Unix socket, without TLS', (url, host) => {
  expect(read(url)).toMatchObject({ host, database: 'db', tls: { mode: 'disable' } })
})

test('the environment fills what the address leaves open, and no more', () => {
  const environment = {
    ...{ PGHOST: 'there', PGPORT: '5433', PGUSER: 'someone', PGPASSWORD: 'secret' },
    ...{ PGDATABASE: 'data', PGSSLMODE: 'require', PGCONNECT_TIMEOUT: '9' },
  }
  const open = read('postgres://', environment)
  expect(open).toMatchObject({
    ...{ host: 'there', port: 5433, user: 'someone', database: 'data' },
    ...{ tls: { mode: 'require' }, connectTimeoutMs: 9000 },
  })
  expect(open.password?.reveal()).toBe('secret')
  const full = read('postgres://me:mine@here:1/db?sslmode=disable', environment)
  expect(full).toMatchObject({
    ...{ host: 'here', port: 1, user: 'me', database: 'db' },
    tls: { mode: 'disable' },
  })
  expect(full.password?.reveal()).toBe('mine')
})

test('without a name, user and database are those of the system', () => {
  const { username } = userInfo()
  expect(read('postgres://host')).toMatchObject({ user: username, database: username, port: 5432 })
  expect(read('postgres://host/?user=other').database).toBe('other')
})

describe('sslmode', () => {
  const root = 'a root certificate'
  let home: string
  beforeEach(() => {
    home = temporaryFolder()
    mkdirSync(join(home, '.postgresql'))
    for (const name of ['root.crt', 'postgresql.crt', 'postgresql.key']) {
      writeFileSync(join(home, '.postgresql', name), name === 'root.crt' ? root : name)
    }
  })
  const optionsOf = (mode: string, from = home) =>
    read(`postgres://host/db?sslmode=${mode}`, {}, from).tls.options

  test('prefer is the default; prefer, allow and a bare require encrypt and verify nothing', () => {
    expect(read('postgres://host/db').tls.mode).toBe('prefer')
    for (const options of [
      optionsOf('prefer'),
      optionsOf('allow'),
      optionsOf('require', nowhere),
    ]) {
      expect(options).toMatchObject({ rejectUnauthorized: false })
    }
  })

  test('require verifies the issuer where there is a root certificate, as verify-ca does', () => {
    for (const options of [optionsOf('require'), optionsOf('verify-ca')]) {
      expect(options).toMatchObject({ rejectUnauthorized: true, ca: root, anyName: true })
    }
  })

  test('verify-full verifies the name of the host too', () => {
    const options = optionsOf('verify-full')
    expect(options).toMatchObject({ rejectUnauthorized: true, ca: root, anyName: false })
  })

  test('sslrootcert=system means verify-full by the certificates of the system', () => {
    const { mode, options } = read('postgres://host/db?sslrootcert=system').tls
    expect(mode).toBe('verify-full')
    expect(options.rejectUnauthorized).toBe(true)
  })

  test('the own certificate is read from the home, or from where it is named', () => {
    expect(optionsOf('require')).toMatchObject({ key: 'postgresql.key' })
    const key = join(home, 'own.key')
    writeFileSync(key, 'own')
    const named = read('postgres://host/db?sslmode=require', { PGSSLKEY: key }, home)
    expect(named.tls.options).toMatchObject({
      cert: 'postgresql.crt',
      key: 'own',
    })
  })
})
