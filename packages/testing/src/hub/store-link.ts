/** A link straight to a hub's database, without a hub that serves. */

import { setTimeout as delay } from 'node:timers/promises'
import type { HubLink } from '@latchkey/gate/hub-link'
import type { Store } from '@latchkey/hub/management'
import { journalNumber } from '@latchkey/protocol'
import { sql } from 'kysely'

export function storeLink(store: Store): Omit<HubLink, 'keys'> {
  const read = async (after: number | undefined) =>
    store.readBeside(async (tables) => {
      const head = await tables
        .selectFrom('journal_head')
        .select('number')
        .executeTakeFirstOrThrow()
      const rows = await tables
        .selectFrom('journal')
        .select(['thing', 'ref_uid', 'repository_uid'])
        .where('number', '>', after ?? head.number)
        .where('did', '=', 'deleted')
        .where('thing', 'in', ['ref', 'repository'])
        .orderBy('number')
        .execute()
      const removed = rows.map((row) => (row.thing === 'ref' ? row.ref_uid : row.repository_uid))
      return {
        kind: 'changes' as const,
        number: journalNumber(head.number),
        removed: removed.filter((uid) => uid !== null),
        isComplete: true,
      }
    })
  return {
    async changes({ after, waitSeconds = 0, signal }) {
      for (let waited = 0; ; waited += 0.05) {
        const answer = await read(after)
        const isNew = after === undefined || answer.number > after
        if (isNew || waited >= waitSeconds || signal?.aborted) return answer
        await delay(50, undefined, { ref: false })
      }
    },
    async raiseEpochs(uids) {
      await store.directory.change(async ({ tables, putAs }) => {
        const rows = await tables
          .selectFrom('repositories')
          .selectAll()
          .select(sql<number>`max(epoch + 1, unixepoch())`.as('raised'))
          .where('uid', 'in', uids)
          .execute()
        await putAs({ verb: 'link raise-epoch' })(
          rows.map(({ raised, ...before }) => ({
            thing: 'repository',
            before,
            after: { ...before, epoch: raised },
          })),
        )
      })
    },
    async findUnknown(uids) {
      return store.readBeside(async (tables) => {
        const there = new Set<string>()
        for (const table of ['repositories', 'refs', 'commits'] as const) {
          const rows = await tables
            .selectFrom(table)
            .select('uid')
            .where('uid', 'in', uids as never)
            .execute()
          for (const { uid } of rows) there.add(uid)
        }
        return new Set(uids.filter((uid) => !there.has(uid)))
      })
    },
  }
}
