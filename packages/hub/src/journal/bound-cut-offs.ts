/** The list of revocation entries stays small: where somebody causes many, fewer that end more take their place. */

import type { AccountId, JournalNumber } from '@latchkey/protocol'
import type { RevocationTarget } from '@latchkey/token'
import { sql } from 'kysely'
import { chunked, countOf } from '../tables/columns.ts'
import type { Reading, Tables } from '../tables/directory.ts'

export interface CutOff extends RevocationTarget {
  /** Tokens with a lower `as_of` are dead. */
  readonly number: JournalNumber
  /** The name of the one namespace whose tokens it ends; null where it can end others. */
  readonly namespace: string | null
}

export async function writeCutOffRows(
  tables: Tables,
  cuts: readonly CutOff[],
  made: JournalNumber,
): Promise<void> {
  // What is cut for ever stays so.
  await tables
    .insertInto('cut_offs')
    .values(cuts.map(({ kind, id, number, namespace }) => ({ kind, id, number, made, namespace })))
    .onConflict((both) =>
      both.columns(['kind', 'id']).doUpdateSet({
        number: sql`case when cut_offs.number > excluded.number then cut_offs.number else excluded.number end`,
        made: sql`excluded.made`,
        namespace: sql`coalesce(excluded.namespace, cut_offs.namespace)`,
      }),
    )
    .execute()
}

/** The service accounts of publishers act in one namespace: with its name for each of them. */
export async function namespacesOfPublishers(
  tables: Reading,
  accountIds: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, string>> {
  const names = new Map<AccountId, string>()
  for (const some of chunked(accountIds)) {
    const rows = await tables
      .selectFrom('trusted_publishers')
      .innerJoin('repositories', 'repositories.uid', 'trusted_publishers.repository_uid')
      .innerJoin('namespaces', 'namespaces.id', 'repositories.namespace_id')
      .select(['account_id', 'namespaces.name'])
      .where('account_id', 'in', some)
      .execute()
    for (const { account_id, name } of rows) names.set(account_id, name)
  }
  return names
}

/** People end their own sessions and hub tokens as often as they make some. */
const maxOfAccount = 100

/** Where one account has more, an entry that ends all its storage tokens takes their place: no tenant fills the list. */
export async function boundOfAccount(
  tables: Tables,
  id: AccountId,
  { number, namespace }: Pick<CutOff, 'number' | 'namespace'>,
): Promise<void> {
  const ofAccount = tables.selectFrom('hub_tokens').select('id').where('account_id', '=', id)
  const own = tables.selectFrom('cut_offs').where('kind', '=', 'hub-token')
  if ((await countOf(own.where('id', 'in', ofAccount))) <= maxOfAccount) return
  await tables
    .deleteFrom('cut_offs')
    .where('kind', '=', 'hub-token')
    .where('id', 'in', ofAccount)
    .execute()
  await writeCutOffRows(tables, [{ kind: 'account', id, number, namespace }], number)
}

/** Its administrators and writers cause entries as often as they like. */
export const maxOfNamespace = 2000

/**
 * Where one namespace has more, those of accounts in its repositories become one for each account. Where that leaves more
 * than half, an entry that ends all its storage tokens takes their place.
 */
export async function boundOfNamespace(
  tables: Tables,
  namespace: string,
  number: JournalNumber,
): Promise<void> {
  const own = tables.selectFrom('cut_offs').where('namespace', '=', namespace)
  if ((await countOf(own)) <= maxOfNamespace) return
  await widenAccounts(tables, namespace, number)
  if ((await countOf(own)) > maxOfNamespace / 2) await endWhole(tables, namespace, number)
}

async function widenAccounts(
  tables: Tables,
  namespace: string,
  number: JournalNumber,
): Promise<void> {
  const rows = await tables
    .deleteFrom('cut_offs')
    .where('namespace', '=', namespace)
    .where('kind', '=', 'account+repository')
    .returning('id')
    .execute()
  const accounts = new Set(rows.map(({ id }) => id.split('/')[0]))
  const cuts = Array.from(accounts, (account): CutOff => {
    return { kind: 'account+namespace', id: `${account}/${namespace}`, number, namespace }
  })
  for (const some of chunked(cuts)) await writeCutOffRows(tables, some, number)
}

async function endWhole(tables: Tables, namespace: string, number: JournalNumber): Promise<void> {
  await tables.deleteFrom('cut_offs').where('namespace', '=', namespace).execute()
  await writeCutOffRows(tables, [{ kind: 'namespace', id: namespace, number, namespace }], number)
}

/** A list of so many is half of what a gate takes. */
const maxCutOffs = 50_000

/** Where there are too many, the namespaces with most go first. Then one that ends every token replaces all but keys. */
export async function boundCutOffs(tables: Tables, number: JournalNumber): Promise<void> {
  const others = tables.selectFrom('cut_offs').where('kind', '!=', 'key')
  while ((await countOf(others)) > maxCutOffs) {
    const largest = await largestNamespace(tables)
    if (largest === undefined) {
      await tables.deleteFrom('cut_offs').where('kind', '!=', 'key').execute()
      const everything = { kind: 'all', id: '', number, namespace: null } as const
      return writeCutOffRows(tables, [everything], number)
    }
    await endWhole(tables, largest, number)
  }
}

/** Undefined where none has more than one entry. */
async function largestNamespace(tables: Reading): Promise<string | undefined> {
  const row = await tables
    .selectFrom('cut_offs')
    .select(({ fn }) => ['namespace', fn.countAll().as('count')])
    .where('namespace', 'is not', null)
    .groupBy('namespace')
    .orderBy('count', 'desc')
    .limit(1)
    .executeTakeFirst()
  return Number(row?.count ?? 0) > 1 ? (row?.namespace ?? undefined) : undefined
}
