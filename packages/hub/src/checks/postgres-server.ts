import {
  type AnsweringDatabase,
  type Check,
  type Finding,
  findingOfSchema,
  findingsOfRights,
  findingsOfServer,
  goodFinding,
  skippedFinding,
  spanOf,
  warningFinding,
  wrongByError,
  wrongFinding,
} from '@latchkey/service/checks'
import { CannotStart } from '@latchkey/service/machine/errors'
import { refuseDemoData } from '../data/demo-tokens.ts'
import { type HubInstallation, withDatabase } from './with-store.ts'

export const server: Check<HubInstallation> = {
  name: 'database',
  async run({ database, databaseKind }) {
    if (databaseKind !== 'postgres') return []
    const answer = await database()
    return answer.kind === 'away' ? [wrongByError(answer.error)] : findingsOfServer(answer)
  },
}

type Server = AnsweringDatabase['server']

export const durability: Check<HubInstallation> = {
  name: 'durability',
  run: (installation) =>
    withDatabase(installation, ({ server }) => [
      ...ofCrash(server),
      ...(server.isReplica === 1 ? [] : [ofFailover(server)]),
    ]),
}

function ofCrash({ fsync, fullPageWrites, synchronousCommit }: Server): readonly Finding[] {
  if (fsync === 'off') {
    return [
      wrongFinding(
        'fsync is off: a crash of the machine can destroy the whole database',
        'Set fsync = on in postgresql.conf, and reload the server.',
      ),
    ]
  }
  return [
    goodFinding(
      'a change is acknowledged when it is on the disk (synchronous_commit = on, set by hubs)',
    ),
    ...(fullPageWrites === 'on' ? [] : [tornPages]),
    ...(['off', 'local'].includes(synchronousCommit) ? [otherPrograms(synchronousCommit)] : []),
  ]
}

const tornPages = warningFinding(
  'full_page_writes is off: a crash can leave half-written pages',
  'Set it to on, unless the file system writes pages whole.',
)

function otherPrograms(value: string): Finding {
  return warningFinding(
    `synchronous_commit is ${value} at the server: hubs set it to on for themselves, other programs do not`,
    'Set synchronous_commit = on, so that pg_restore and psql lose nothing either.',
  )
}

function ofFailover({ synchronousStandbys, replicas }: Server): Finding {
  if (synchronousStandbys === '') {
    return replicas === 0
      ? goodFinding(
          'no replica is connected: when the server is lost, the last backup is what there is',
        )
      : warningFinding(
          'the replica is asynchronous: a failover to it can lose the last changes',
          'Set synchronous_standby_names. After such a failover hubs end every storage token, and revocations of the last moments must be repeated.',
        )
  }
  if (replicas === 0) {
    return wrongFinding(
      `no standby is connected, and every change waits for one (${synchronousStandbys})`,
      'Start the standby; or, if it is lost, take it out of synchronous_standby_names and reload the server.',
    )
  }
  return goodFinding(
    `a change also waits for a standby (${synchronousStandbys}): a failover loses none`,
  )
}

export const clock: Check<HubInstallation> = {
  name: 'clock',
  run: (installation) =>
    withDatabase(installation, ({ aheadMs }) => {
      const bound = installation.leewaySeconds
      if (Math.abs(aheadMs) <= bound * 1000) {
        return [goodFinding(`the database and this machine are less than ${bound} s apart`)]
      }
      const where = aheadMs > 0 ? 'ahead of' : 'behind'
      return [
        wrongFinding(
          `the database is ${spanOf(aheadMs)} ${where} this machine`,
          'Set the wrong one, and keep both on NTP: hubs whose clocks differ refuse the tokens of one another, and journal numbers run ahead.',
        ),
      ]
    }),
}

export const rights: Check<HubInstallation> = {
  name: 'role',
  run: (installation) => withDatabase(installation, (answer) => findingsOfRights(answer, 'hubs')),
}

export const schema: Check<HubInstallation> = {
  name: 'schema',
  run: (installation) =>
    withDatabase(installation, async (answer) => {
      const finding = findingOfSchema(answer, 'hubs')
      const { demo, data } = installation.settings
      if (finding.result === 'good' && !demo) await refuseDemoData(answer.store, data)
      return [finding]
    }),
}

export const staleness: Check<HubInstallation> = {
  name: 'staleness',
  async run({ settings: { stalenessSeconds }, databaseKind }) {
    if (databaseKind !== 'postgres') return []
    return [
      goodFinding(
        `what a hub knows is at most ${stalenessSeconds} s old when it signs (stalenessSeconds); a database that is away for longer stops new tokens`,
      ),
    ]
  },
}

export const notifications: Check<HubInstallation> = {
  name: 'notifications',
  run: (installation) =>
    withDatabase(installation, async ({ store, server }) => {
      if (server.isReplica === 1) return [skippedFinding('a replica sends none')]
      if (store.isPooled()) {
        return [
          warningFinding(
            'a pooler stands before the server: hubs ask every second, and hear nothing in between',
            'The address works. For less delay, name the server itself in the address.',
          ),
        ]
      }
      const reason = await store.tryNotification()
      return [
        reason === undefined
          ? goodFinding('sent and heard: hubs learn of a change at once')
          : wrongByError(new CannotStart(reason)),
      ]
    }),
}
