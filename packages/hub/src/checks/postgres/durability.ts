/** Whether what the hub acknowledges survives a crash of the server, and the loss of it. */

import {
  type AnsweringDatabase,
  type Check,
  type Finding,
  good,
  warning,
  wrong,
} from '@latchkey/service/checks'
import type { HubInstallation } from '../installation.ts'
import { withDatabase } from '../with-database.ts'

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
      wrong(
        'fsync is off: a crash of the machine can destroy the whole database',
        'Set fsync = on in postgresql.conf, and reload the server.',
      ),
    ]
  }
  return [
    good('a change is acknowledged when it is on the disk (synchronous_commit = on, set by hubs)'),
    ...(fullPageWrites === 'on' ? [] : [tornPages]),
    ...(['off', 'local'].includes(synchronousCommit) ? [otherPrograms(synchronousCommit)] : []),
  ]
}

const tornPages = warning(
  'full_page_writes is off: a crash can leave half-written pages',
  'Set it to on, unless the file system writes pages whole.',
)

function otherPrograms(value: string): Finding {
  return warning(
    `synchronous_commit is ${value} at the server: hubs set it to on for themselves, other programs do not`,
    'Set synchronous_commit = on, so that pg_restore and psql lose nothing either.',
  )
}

function ofFailover({ synchronousStandbys, replicas }: Server): Finding {
  if (synchronousStandbys === '') {
    return replicas === 0
      ? good('no replica is connected: when the server is lost, the last backup is what there is')
      : warning(
          'the replica is asynchronous: a failover to it can lose the last changes',
          'Set synchronous_standby_names. After such a failover hubs end every storage token, and revocations of the last moments must be repeated.',
        )
  }
  if (replicas === 0) {
    return wrong(
      `no standby is connected, and every change waits for one (${synchronousStandbys})`,
      'Start the standby; or, if it is lost, take it out of synchronous_standby_names and reload the server.',
    )
  }
  return good(`a change also waits for a standby (${synchronousStandbys}): a failover loses none`)
}
