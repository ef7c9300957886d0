/** A streaming replica of a test's cluster, which can be held back and promoted. */

import { runUnprivileged } from '../machine/run-unprivileged.ts'
import { type Cluster, controlServer, startServer } from './cluster.ts'
import { postgresProgram, superuser } from './template.ts'

export interface Replica extends Cluster {
  /** As `synchronous_standby_names` names it. */
  readonly name: string
  /** Waits until it shows everything that the primary has committed so far. */
  catchUp(): Promise<void>
  /** It receives what the primary writes, but does not show it. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** It receives nothing, and a synchronous primary waits for it. */
  disconnect(): Promise<void>
  reconnect(): Promise<void>
  /** From now on it takes writes, on a timeline of its own. The primary does not know. */
  promote(): Promise<void>
}

export async function startReplica(primary: Cluster, name = 'replica'): Promise<Replica> {
  const { port, password } = primary
  const source = `host=127.0.0.1 port=${port} user=${superuser} password=${password} application_name=${name}`
  // A replica that is disconnected for a while finds what it missed.
  await primary.sql(`alter system set wal_keep_size = '256MB'`)
  await primary.sql('select pg_reload_conf()')
  const cluster = await startServer(async ({ path, data }) => {
    const args = ['--pgdata', data, '--dbname', source, '--checkpoint', 'fast', '--no-sync']
    const copy = [...args, '--wal-method', 'stream', '--write-recovery-conf']
    await runUnprivileged(postgresProgram('pg_basebackup'), copy, { cwd: path })
    return { password, settings: {} }
  })
  const until = async (question: string) => {
    while ((await cluster.sql(question)) !== 't')
      await new Promise((later) => setTimeout(later, 20))
  }
  const receiveFrom = async (address: string) => {
    await cluster.sql(`alter system set primary_conninfo = '${address}'`)
    await cluster.sql('select pg_reload_conf()')
  }
  return {
    ...cluster,
    name,
    async catchUp() {
      const end = await primary.sql('select pg_current_wal_flush_lsn()')
      await until(`select pg_last_wal_replay_lsn() >= '${end}'`)
    },
    async pause() {
      await cluster.sql('select pg_wal_replay_pause()')
      await until(`select pg_get_wal_replay_pause_state() = 'paused'`)
    },
    async resume() {
      await cluster.sql('select pg_wal_replay_resume()')
    },
    async disconnect() {
      await receiveFrom('')
      await until('select count(*) = 0 from pg_stat_wal_receiver')
    },
    async reconnect() {
      await receiveFrom(source)
      await until(`select count(*) = 1 from pg_stat_wal_receiver where status = 'streaming'`)
    },
    promote: () => controlServer(cluster.folder, 'promote'),
  }
}
