/** Whether this is the server on which hubs last worked, or another one took its place. */

import {
  type AnsweringDatabase,
  type Check,
  type Finding,
  goodFinding,
  skippedFinding,
  spanOf,
  warningFinding,
  wrongFinding,
} from '@latchkey/service/checks'
import type { Reading } from '../tables/directory.ts'
import { type HubInstallation, withDatabase, withStore } from './with-store.ts'

export const knownServer: Check<HubInstallation> = {
  name: 'same server',
  async run(installation) {
    if (installation.databaseKind !== 'postgres') return []
    return withStore(installation, (read) =>
      withDatabase(installation, async ({ store, server, schema }) => {
        const last = await store.lastServer()
        if (last === undefined) return [skippedFinding('no hub has worked on it yet')]
        if (server.systemIdentifier === null) {
          return [skippedFinding('not compared, because the role may not ask for its identity')]
        }
        if (server.timeline === null)
          return [skippedFinding('a replica is compared once it is promoted')]
        const change = changeSince(last, server, schema.oids.get('journal_head'))
        if (change !== undefined) {
          return [replaced(change, await installation.isRunning())]
        }
        return [
          goodFinding('the one on which hubs worked last'),
          ...everyTokenEnded(await read(cutOffOfAll), installation.nowMs()),
        ]
      }),
    )
  },
}

function changeSince(
  [systemIdentifier, timeline, table]: readonly string[],
  server: AnsweringDatabase['server'],
  headTable: string | undefined,
): string | undefined {
  if (systemIdentifier !== server.systemIdentifier) {
    return 'another server holds the data: a copy was restored, or the address changed'
  }
  if (timeline !== server.timeline) return 'a replica was promoted in place of the server'
  const isSameTable = table === undefined || table === headTable
  return isSameTable ? undefined : 'the tables were made again: a dump was put back'
}

function replaced(found: string, isRunning: boolean): Finding {
  if (isRunning) {
    return wrongFinding(
      `${found}, and the hub has not noticed`,
      'Its log says why (database_unavailable). Until it does, storage tokens of before may open what was closed.',
    )
  }
  return warningFinding(
    found,
    'The next start of a hub ends every storage token of before. Changes of the last moments may be lost: look at "latchkey changes", and repeat revocations.',
  )
}

interface CutOff {
  readonly made: number
}

function cutOffOfAll(tables: Reading): Promise<CutOff | undefined> {
  return tables.selectFrom('cut_offs').select('made').where('kind', '=', 'all').executeTakeFirst()
}

/** It is pruned once no token of before could be alive. A number is the milliseconds of its time. */
function everyTokenEnded(cutOff: CutOff | undefined, nowMs: number): readonly Finding[] {
  if (cutOff === undefined) return []
  return [
    warningFinding(
      `every storage token was ended ${spanOf(nowMs - cutOff.made)} ago: a server took the place of another one, or a backup was restored`,
      'Changes of the last moments before may be lost: look at "latchkey changes", and repeat revocations.',
    ),
  ]
}
