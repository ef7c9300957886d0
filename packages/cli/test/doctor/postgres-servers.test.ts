/** Every fault of a PostgreSQL server that the doctor knows, made with real servers, replicas and a pooler. */

import { type Cluster, startCluster } from '@latchkey/testing/postgres/cluster'
import { startPooler } from '@latchkey/testing/postgres/pooler'
import { type Replica, startReplica } from '@latchkey/testing/postgres/replica'
import { newIssuer } from '@latchkey/testing/tls/certificates'
import { isPoolerMissing, isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { hubHere } from '../serve-here.ts'
import { examine } from './installation.ts'
import { on, type PostgresInstallation, postgresInstallations } from './postgres-installation.ts'

const isMissing = isPostgresMissing('what the doctor says of servers is not tested')
const patience = 180_000

describe.skipIf(isMissing)('the server', () => {
  const { copy, cluster } = postgresInstallations()

  async function replicaOf(primary: Cluster): Promise<Replica> {
    const replica = await startReplica(primary)
    onTestFinished(() => replica.kill())
    return replica
  }

  /** As the server has it while the test runs. */
  async function withSettings(settings: Readonly<Record<string, string>>): Promise<void> {
    const server = cluster()
    const alter = async (statements: readonly string[]) => {
      for (const statement of statements) await server.sql(`alter system ${statement}`)
      await server.sql('select pg_reload_conf()')
    }
    const names = Object.keys(settings)
    onTestFinished(() => alter(names.map((name) => `reset ${name}`)))
    await alter(names.map((name) => `set ${name} = '${settings[name]}'`))
    for (const name of names) {
      const wanted = settings[name]?.replaceAll('"', '')
      await expect.poll(() => server.sql(`show ${name}`)).toBe(wanted)
    }
  }

  /** A storage would have no part in what is tested; nobody listens where it would be. */
  const casUrl = 'http://127.0.0.1:1/r/{repo}/{ref}'
  const withoutStorage = (here: PostgresInstallation): PostgresInstallation => {
    return { ...here, flags: ['--port', `${here.port}`, '--no-storage', '--cas-url', casUrl] }
  }
  const serveAlone = async ({ data, port, env }: PostgresInstallation) => {
    const flags = { port: `${port}`, storage: false, casUrl, stopDeadlineSeconds: '1' }
    const hub = await hubHere(data, flags, env)
    onTestFinished(hub.stop)
  }

  const durabilityOf = async (here: PostgresInstallation) => {
    const { findings } = await examine(here)
    return findings
      .filter(({ check }) => check === 'durability')
      .map(({ result, found }) => `${result}: ${found}`)
  }

  test('does not write to the disk', async () => {
    const here = await copy()
    await withSettings({ fsync: 'off' })
    expect((await examine(here)).of('wrong')).toEqual([
      'durability: fsync is off: a crash of the machine can destroy the whole database',
    ])
  })

  test('acknowledges too early by its own settings, which hubs do not follow: warnings', async () => {
    const here = await copy()
    await withSettings({ synchronous_commit: 'off', full_page_writes: 'off' })
    expect(await durabilityOf(here)).toEqual([
      expect.stringMatching(/^good: a change is acknowledged when it is on the disk/),
      expect.stringMatching(/^warning: full_page_writes is off/),
      expect.stringMatching(/^warning: synchronous_commit is off at the server/),
      expect.stringMatching(/^good: no replica is connected/),
    ])
  })

  test(
    'waits for a standby that is not there; with one that is there, a failover loses nothing',
    async () => {
      const here = await copy()
      const replica = await replicaOf(cluster())
      // A replica connects, and is taken for a standby, a while after it has started.
      const durability = async () => (await durabilityOf(here)).at(-1)
      await expect.poll(durability).toMatch(/^warning: the replica is asynchronous/)
      await withSettings({ synchronous_standby_names: replica.name })
      await expect.poll(durability).toMatch(/^good: a change also waits for a standby/)
      await replica.stop('immediate')
      await expect
        .poll(async () => (await examine(here)).of('wrong'))
        .toEqual(['durability: no standby is connected, and every change waits for one (replica)'])
    },
    patience,
  )

  test(
    'is a replica; when it is promoted, the hub ends every storage token, and both are told',
    async () => {
      const here = withoutStorage(await copy())
      const replica = await replicaOf(cluster())
      await replica.catchUp()
      const there = { ...here, ...on(replica, here.name) }
      const before = await examine(there)
      expect(before.of('wrong')).toEqual([
        expect.stringMatching(/^database: PostgreSQL .* is a read-only replica$/),
      ])
      expect(before.of('skipped')).toEqual([
        'notifications: a replica sends none',
        'same server: a replica is compared once it is promoted',
      ])

      await replica.promote()
      const promoted = await examine(there)
      expect([promoted.of('wrong'), promoted.of('warning')]).toEqual([
        [],
        expect.arrayContaining(['same server: a replica was promoted in place of the server']),
      ])
      await serveAlone(there)
      const after = await examine(there)
      expect([after.of('wrong'), after.of('warning')]).toEqual([
        [],
        expect.arrayContaining([
          expect.stringMatching(/^same server: every storage token was ended \d+ seconds? ago/),
        ]),
      ])
    },
    patience,
  )

  test(
    'is another one that was not there before, and the hub that runs has not noticed',
    async () => {
      const here = withoutStorage(await copy())
      await serveAlone(here)
      const other = `update latchkey_hub.settings set value = '1 ' || value where name = 'postgres server'`
      await here.sql(other)
      expect((await examine(here)).of('wrong')).toEqual([
        expect.stringMatching(/^same server: another server holds the data: .* has not noticed$/),
      ])
    },
    patience,
  )

  test('has no connection left for notifications', async () => {
    await cluster().createRole('narrow')
    const here = await copy('narrow')
    await here.sql(`
      grant usage on schema latchkey_hub to narrow;
      grant select, insert, update, delete on all tables in schema latchkey_hub to narrow;
      alter role narrow connection limit 1`)
    expect((await examine(here)).of('wrong')).toEqual([
      expect.stringMatching(/^notifications: PostgreSQL .*: the server has no connection left$/),
    ])
  })

  test('lets nobody in, because all connections are taken', async () => {
    await cluster().createRole('shut_out')
    const here = await copy('shut_out')
    await here.sql('alter role shut_out connection limit 0')
    expect((await examine(here)).of('wrong')).toEqual([
      expect.stringMatching(/^database: PostgreSQL .*: the server has no connection left$/),
    ])
  })

  test('asks for TLS', async () => {
    const strict = await startCluster({
      tls: newIssuer('Latchkey test issuer').issue({ names: ['127.0.0.1'] }),
    })
    onTestFinished(() => strict.kill())
    const here = await copy()
    const url = new URL(strict.url())
    url.searchParams.set('sslmode', 'disable')
    const there = { ...here, env: { LATCHKEY_DATABASE: url.href } }
    expect((await examine(there)).of('wrong')).toEqual([
      expect.stringMatching(/^database: PostgreSQL .*does not let this user in from here/),
    ])
  })

  const withoutPooler = isPoolerMissing('what the doctor says of a pooler is not tested')
  test.skipIf(withoutPooler)('stands behind a pooler, which is a warning', async () => {
    const here = await copy()
    const pooler = await startPooler(cluster())
    onTestFinished(() => pooler.kill())
    const there = { ...here, env: { LATCHKEY_DATABASE: pooler.url(here.name) } }
    const { of } = await examine(there)
    expect(of('wrong')).toEqual([])
    expect(of('good')).toContainEqual(
      expect.stringMatching(/^database: .* answers through a pooler and takes changes$/),
    )
    expect(of('warning')).toContainEqual(
      expect.stringMatching(/^notifications: a pooler stands before the server/),
    )
    const { code } = await latchkeyHere(['account', 'list'], there)
    expect(code).toBe(0)
  })

  test.skipIf(withoutPooler)(
    'compiles statements behind a pooler, until its role turns that off',
    async () => {
      const here = await copy()
      const warnings = async () => {
        const pooler = await startPooler(cluster())
        onTestFinished(() => pooler.kill())
        const there = { ...here, env: { LATCHKEY_DATABASE: pooler.url(here.name) } }
        return (await examine(there)).of('warning').filter((line) => line.includes('jit'))
      }
      expect(await warnings()).toEqual(['database: behind the pooler, jit is on for this role'])
      await here.sql(`alter role current_user in database ${here.name} set jit = off`)
      expect(await warnings()).toEqual([])
      expect((await examine(here)).of('warning').filter((line) => line.includes('jit'))).toEqual([])
    },
  )
})
