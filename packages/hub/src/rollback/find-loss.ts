/** Whether the journal has lost entries that somebody knows of: an older copy of the database was put back. */

import type { UnixSeconds } from '@latchkey/protocol'
import { sql } from 'kysely'
import { findHead, hasEntry } from '../journal/read-journal.ts'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'

/** The verb of the entry by which a hub has answered a rollback. */
export const rollbackVerb = 'rollback'

export interface Loss {
  /** Entries above this number are lost. */
  readonly after: number
  /** Entries up to this number are lost: the highest that is known of. */
  readonly through: number
}

/**
 * `known` is the number of an entry that the journal had once. Retention may have removed it, or a hub or a restore may have
 * answered its loss already: then nothing was lost.
 */
export async function findLoss(tables: Reading, knownNumber: number): Promise<Loss | undefined> {
  const { pruned_through } = await findHead(tables)
  if (knownNumber <= pruned_through || (await hasEntry(tables, knownNumber))) return undefined
  const { before } = await tables
    .selectFrom('journal')
    .select(({ fn }) => fn.max('number').as('before'))
    .where('number', '<', knownNumber)
    .executeTakeFirstOrThrow()
  const after = Number(before ?? pruned_through)
  // The journal begins later: it is of another directory, of which the number says nothing.
  if (after === 0) return undefined
  return (await isAnswered(tables, knownNumber)) ? undefined : { after, through: knownNumber }
}

async function isAnswered(tables: Reading, knownNumber: number): Promise<boolean> {
  const answer = answersIn(tables).select('number').where('number', '>', knownNumber).limit(1)
  return (await answer.executeTakeFirst()) !== undefined
}

/** The entries by which hubs and restores have answered. Written out, so that their own index is used. */
export function answersIn(tables: Reading) {
  return tables
    .selectFrom('journal')
    .where('verb', 'in', [sql.lit(rollbackVerb), sql.lit('restore')])
}

/** Hub tokens of accounts that are not disabled; neither revoked nor expired. */
export function liveHubTokens(tables: Reading, now: UnixSeconds) {
  return tables
    .selectFrom('hub_tokens')
    .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
    .where('accounts.disabled', '=', 0)
    .where('hub_tokens.revoked_at', 'is', null)
    .where((row) =>
      row.or([row('hub_tokens.expires_at', 'is', null), row('hub_tokens.expires_at', '>', now)]),
    )
}

export interface LiveAgain {
  readonly count: number
  /** Some of them as `account/name (id)`, in the order of their accounts. */
  readonly some: readonly string[]
}

const maxNamed = 20

/** Live hub tokens that were made before the rollback: a revocation of any of them may be lost. */
export async function findLiveAgain(
  tables: Reading,
  { now, madeUntil }: { readonly now: UnixSeconds; readonly madeUntil: UnixSeconds },
): Promise<LiveAgain> {
  const live = liveHubTokens(tables, now).where('hub_tokens.created_at', '<=', madeUntil)
  const rows = await live
    .select(['accounts.name as account', 'hub_tokens.name', 'hub_tokens.id'])
    .orderBy('accounts.name')
    .orderBy('hub_tokens.name')
    .limit(maxNamed)
    .execute()
  return {
    count: await countOf(live),
    some: rows.map(({ account, name, id }) => `${account}/${name} (${id})`),
  }
}
