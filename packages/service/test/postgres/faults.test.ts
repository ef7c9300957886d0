/** What is wrong with a database is said in one line that tells what to do, and never shows the password. */

import { chmodSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { CannotStart } from '@latchkey/service/machine/errors'
import {
  DatabaseBusy,
  DatabaseUnavailable,
  explainPostgres,
  openPostgres,
} from '@latchkey/service/postgres'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { startReplica } from '@latchkey/testing/postgres/replica'
import { newIssuer } from '@latchkey/testing/tls/certificates'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openUntilEnd } from './open-test-database.ts'
import { settingsOf } from './settings-of.ts'

const isMissing = isPostgresMissing('what PostgreSQL says of its faults is not tested')

interface Schema {
  notes: { text: string }
}

/** The line with which it cannot be opened. */
async function lineOf(url: string): Promise<string> {
  return await openPostgres({ settings: settingsOf(url), schema: 'public' }).then(
    async (opened) => {
      await opened.close()
      return 'opened'
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(CannotStart)
      const { message } = error as CannotStart
      expect(message).not.toContain('\n')
      expect(message).not.toContain(passwordOf(url))
      return message
    },
  )
}

/** Until the end of the test. */
function setVariable(name: string, value: string): void {
  const before = process.env[name]
  onTestFinished(() => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  })
  process.env[name] = value
}

describe.skipIf(isMissing)('a server of the run', () => {
  let own: OwnDatabase
  beforeAll(async () => {
    own = await ownDatabase()
    await own.sql('create table notes (text text primary key)')
  })

  test('a port where nothing listens', async () => {
    const line = await lineOf(
      `postgres://postgres:secretword@127.0.0.1:${await freePort()}/postgres`,
    )
    expect(line).toContain('nothing listens there. Check that it runs')
  })

  test('a socket that is not there', async () => {
    expect(await lineOf('postgres://u:secretword@/db?host=/nonexistent')).toContain(
      'no such socket',
    )
  })

  test('a host name that nobody knows', async () => {
    expect(await lineOf('postgres://u:secretword@host.invalid/db')).toMatch(
      /the host name (?:is not known|cannot be looked up)/,
    )
  })

  test('a wrong password', async () => {
    const wrong = Object.assign(new URL(own.url), { password: 'wrongsecret' })
    expect(await lineOf(wrong.href)).toContain('the password for')
    expect(await lineOf(wrong.href)).toContain('is wrong')
  })

  test('no password', async () => {
    const none = Object.assign(new URL(own.url), { password: '' })
    expect(await lineOf(none.href)).toContain('it asks for a password and there is none')
  })

  test('a login that fails leaves no connection open', async () => {
    const proxy = await silentProxy(own.cluster.port)
    const none = Object.assign(new URL(own.url), { password: '', port: `${proxy.port}` })
    expect(await lineOf(none.href)).toContain('it asks for a password')
    await expect.poll(() => proxy.counts()).toEqual({ made: 2, open: 0 })
  })

  test.each([
    ['that PGPASSFILE names', 'PGPASSFILE', 'pass'],
    ['of the home', 'HOME', '.pgpass'],
  ])('the password file %s is used unless others can read it', async (_, variable, name) => {
    const { username, password, port } = new URL(own.url)
    const folder = temporaryFolder()
    const file = join(folder, name)
    setVariable(variable, variable === 'HOME' ? folder : file)
    const lines = [
      '# a comment',
      '127.0.0.1:1:*:*:another',
      `127.0.0.1:${port}:*:${username}:${password}`,
    ]
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
    const url = `postgres://${username}@127.0.0.1:${port}/${own.name}`
    expect(await lineOf(url)).toBe('opened')
    chmodSync(file, 0o644)
    expect(await lineOf(url)).toContain('or the file that PGPASSFILE names (mode 0600)')
  })

  test('a Unix socket is used', async () => {
    const { socketFolder, port } = own.cluster
    const { username, password } = new URL(own.url)
    const url = `postgres://${username}:${password}@/${own.name}?host=${socketFolder}&port=${port}`
    const { query } = await openUntilEnd(url)
    const text = 'select inet_client_addr() is null as local'
    expect(await query({ name: 'local', text })).toEqual([{ local: 1 }])
  })

  test('no such database', async () => {
    expect(await lineOf(own.cluster.url('not_there'))).toContain('there is no database not_there')
  })

  test('TLS that the server does not offer', async () => {
    expect(await lineOf(`${own.url}?sslmode=require`)).toContain('it does not offer TLS')
    expect(await lineOf(`${own.url}?sslmode=prefer`)).toBe('opened')
  })

  test('a database in another encoding', async () => {
    const name = await own.cluster.createDatabase(
      `encoding 'SQL_ASCII' locale 'C' template template0`,
    )
    onTestFinished(() => own.cluster.dropDatabase(name))
    expect(await lineOf(own.cluster.url(name))).toContain('its encoding is SQL_ASCII')
  })

  test('a server that is older than PostgreSQL 14', async () => {
    const name = await own.cluster.createDatabase()
    onTestFinished(() => own.cluster.dropDatabase(name))
    // No older server is at hand, so this database has another function that tells the version.
    await own.cluster.sql(
      `create schema older;
       create function older.current_setting(name text) returns text language sql as $$
         select case name when 'server_version_num' then '130014' else pg_catalog.current_setting(name) end $$;
       alter database ${name} set search_path = older, pg_catalog`,
      name,
    )
    expect(await lineOf(own.cluster.url(name))).toContain(
      'it is PostgreSQL 13, and Latchkey needs 14 or newer. Upgrade it.',
    )
  })

  test('a database that is dropped while it is used', async () => {
    const name = await own.cluster.createDatabase()
    const { query } = await openUntilEnd(own.cluster.url(name))
    await own.cluster.dropDatabase(name)
    const asking = () => query({ name: 'one', text: 'select 1' })
    await asking().catch(() => {})
    await expect(asking()).rejects.toThrow(DatabaseUnavailable)
    await expect(asking()).rejects.toThrow(`there is no database ${name}`)
  })

  test('a connection that breaks in the middle of a change: nothing has happened', async () => {
    const { change } = await openUntilEnd<Schema>(own.url)
    const changing = change(async (tables) => {
      await tables.insertInto('notes').values({ text: 'a' }).execute()
      const me = await sql<{ me: number }>`select pg_backend_pid() as me`.execute(tables)
      await own.sql(`select pg_terminate_backend(${me.rows[0]?.me})`)
      await tables.insertInto('notes').values({ text: 'b' }).execute()
    })
    await expect(changing).rejects.toMatchObject({
      name: 'DatabaseUnavailable',
      mayHaveTakenEffect: false,
    })
    expect(await own.sql('select count(*) from notes')).toBe('0')
  })

  test('a connection that is ended while idle is replaced without an error', async () => {
    const { query } = await openUntilEnd(own.url, { connections: 1 })
    const text = 'select pg_backend_pid() as process'
    const [{ process } = { process: 0 }] = await query<{ process: number }>({ name: 'me', text })
    await own.sql(`select pg_terminate_backend(${process})`)
    await expect
      .poll(() => query<{ process: number }>({ name: 'me', text }).catch(() => []))
      .toHaveLength(1)
    const [after] = await query<{ process: number }>({ name: 'me', text })
    expect(after?.process).not.toBe(process)
  })

  test('all connections of the process in use', async () => {
    const database = await openUntilEnd(`${own.url}?connect_timeout=1`, { connections: 1 })
    const held = Promise.withResolvers<void>()
    const inside = Promise.withResolvers<void>()
    const holding = database.read(async () => {
      inside.resolve()
      await held.promise
    })
    await inside.promise
    const asking = database.query({ name: 'one', text: 'select 1' })
    await expect(asking).rejects.toThrow(DatabaseBusy)
    await expect(asking).rejects.toThrow(
      'all 1 connections that this process has for it are in use',
    )
    held.resolve()
    await holding
  })

  test('all connections of the process in use by work that began in the same moment', async () => {
    const database = await openUntilEnd(`${own.url}?connect_timeout=1`, { connections: 1 })
    const held = Promise.withResolvers<void>()
    onTestFinished(() => held.resolve())
    const holding = database.read(() => held.promise)
    const asking = database.query({ name: 'one', text: 'select 1' })
    await expect(asking).rejects.toThrow(DatabaseBusy)
    held.resolve()
    await holding
  })

  test('a server that falls silent: the connection is closed at its deadline, and a commit is reported as unknown', async () => {
    const proxy = await silentProxy(own.cluster.port)
    const url = Object.assign(new URL(own.url), { port: `${proxy.port}` }).href
    const { change, query } = await openUntilEnd<Schema>(url, { deadlineMs: 2000 })
    const changing = change(async (tables) => {
      await tables.insertInto('notes').values({ text: 'silent' }).execute()
      proxy.muteAnswers()
    })
    const error = await changing.catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'DatabaseUnavailable', mayHaveTakenEffect: true })
    expect((error as Error).message).toContain('may have taken effect')
    expect(await own.sql(`select count(*) from notes where text = 'silent'`)).toBe('1')
    proxy.speak()
    expect(await query({ name: 'one', text: 'select 1 as one' })).toEqual([{ one: 1 }])
    proxy.muteAnswers()
    await expect(query({ name: 'one', text: 'select 1 as one' })).rejects.toMatchObject({
      name: 'DatabaseUnavailable',
      mayHaveTakenEffect: false,
    })
    proxy.speak()
  })

  test('something that accepts connections and says nothing', async () => {
    const silent = await listening(createServer(() => {}))
    const line = await lineOf(`postgres://u:secretword@127.0.0.1:${silent}/db?connect_timeout=1`)
    expect(line).toContain('it does not answer')
  })

  test('something that is no PostgreSQL', async () => {
    const other = await listening(createServer((socket) => void socket.end('HTTP/1.1 400\r\n\r\n')))
    expect(await lineOf(`postgres://u:secretword@127.0.0.1:${other}/db`)).toContain('PostgreSQL (')
  })
})

describe.skipIf(isMissing)('a server of its own', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({
      settings: { max_connections: '8', superuser_reserved_connections: '1', wal_level: 'replica' },
    })
  })
  afterAll(() => cluster?.kill())

  test('out of connections', async () => {
    await cluster.createRole('plain')
    const url = cluster.url('postgres', 'plain')
    const { read } = await openUntilEnd(url, { connections: 7, statementTimeoutMs: 170_000 })
    const held = Promise.withResolvers<void>()
    let inside = 0
    const holding = Array.from({ length: 7 }, () =>
      read(() => {
        inside += 1
        return held.promise
      }),
    )
    await expect.poll(() => inside).toBe(7)
    expect(await lineOf(url)).toContain('the server has no connection left')
    held.resolve()
    await Promise.all(holding)
  })

  test('a role without rights', async () => {
    await cluster.createRole('bare')
    await cluster.sql('create schema closed; create table closed.notes (text text)')
    const { change } = await openUntilEnd<Schema>(cluster.url('postgres', 'bare'), {
      schema: 'closed',
    })
    const line = async () => {
      const changing = change((tables) =>
        tables.insertInto('notes').values({ text: 'a' }).execute(),
      )
      const error = await changing.catch((reason: unknown) => reason)
      return explainPostgres(error, settingsOf(cluster.url('postgres', 'bare')))
    }
    expect(await line()).toContain('the role bare may not use its schema')
    await cluster.sql('grant usage on schema closed to bare')
    expect(await line()).toContain('the role bare lacks a right')
  })

  test('a replica, for reading and for changing', async () => {
    const replica = await startReplica(cluster)
    onTestFinished(() => replica.kill())
    await replica.catchUp()
    const { read, change } = await openUntilEnd<Schema>(replica.url(), { reconnectWaitMs: 0 })
    for (const begin of [read, change]) {
      const work = begin(async () => 1)
      await expect(work).rejects.toThrow(DatabaseUnavailable)
      await expect(work).rejects.toThrow('read-only replica. Name the primary')
    }
    const reader = await openUntilEnd<Schema>(replica.url(), { primaryOnly: false })
    expect(await reader.read(async () => 1)).toBe(1)
    const writing = reader.change((tables) => sql`create table made ()`.execute(tables))
    await expect(writing).rejects.toThrow('read-only replica')
  })

  test.each(['fast', 'immediate'] as const)(
    'a restart (%s): away meanwhile, back by itself',
    async (mode) => {
      const database = await openUntilEnd(cluster.url())
      const ask = () => database.query({ name: 'one', text: 'select 1 as one' })
      expect(await ask()).toEqual([{ one: 1 }])
      await cluster.stop(mode)
      await expect(ask().then(ask)).rejects.toThrow(DatabaseUnavailable)
      await cluster.start()
      await expect.poll(() => ask().catch(() => [])).toEqual([{ one: 1 }])
    },
  )
})

describe.skipIf(isMissing)('a server that wants TLS', () => {
  const issuer = newIssuer('issuer')
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ tls: issuer.issue({ names: ['localhost'] }) })
  })
  afterAll(() => cluster?.kill())
  const by = (more: string) => `${cluster.url()}?${more}`
  const byName = (more: string) => by(more).replace('127.0.0.1', 'localhost')

  test('a connection without TLS', async () => {
    expect(await lineOf(by('sslmode=disable'))).toContain('asks for TLS (sslmode=require)')
  })

  test.each(['allow', 'prefer', 'require'])('sslmode=%s encrypts', async (mode) => {
    const { query } = await openUntilEnd(by(`sslmode=${mode}`))
    const text = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'
    expect(await query({ name: 'tls', text })).toEqual([{ ssl: 1 }])
  })

  test('a certificate of another issuer', async () => {
    const other = certificateFile(newIssuer('other').cert)
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      const line = await lineOf(byName(`sslmode=${mode}&sslrootcert=${other}`))
      expect(line).toContain('issuer')
      expect(line).toContain('sslrootcert')
    }
  })

  test('a certificate for another host name matters to verify-full alone', async () => {
    const root = certificateFile(issuer.cert)
    expect(await lineOf(by(`sslmode=verify-full&sslrootcert=${root}`))).toContain(
      'another host name',
    )
    expect(await lineOf(by(`sslmode=verify-ca&sslrootcert=${root}`))).toBe('opened')
    expect(await lineOf(byName(`sslmode=verify-full&sslrootcert=${root}`))).toBe('opened')
  })
})

/** Anything that no line has, where there is none. */
function passwordOf(url: string): string {
  return /\/\/[^:@/]*:([^@/]+)@/.exec(url)?.[1] ?? '\n'
}

function certificateFile(text: string): string {
  const file = join(temporaryFolder(), 'certificate')
  writeFileSync(file, text)
  return file
}

/** Passes everything on, until its answers are kept back as by a network that drops packets. */
async function silentProxy(target: number) {
  let isMute = false
  const counts = { made: 0, open: 0 }
  const port = await listening(
    createServer((socket) => {
      const server = connect(target, '127.0.0.1')
      socket.pipe(server).on('error', () => socket.destroy())
      socket.on('error', () => server.destroy())
      counts.made += 1
      counts.open += 1
      socket.on('close', () => {
        counts.open -= 1
      })
      server.on('data', (data) => isMute || socket.write(data))
      server.on('close', () => isMute || socket.destroy())
    }),
  )
  return {
    port,
    counts: () => counts,
    muteAnswers: () => {
      isMute = true
    },
    speak: () => {
      isMute = false
    },
  }
}

/** Gives its port; closed with the test. */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
