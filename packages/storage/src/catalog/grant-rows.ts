/** Rows of grants: xorbs that clients may put into the store themselves, each under its key. */

import { type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import { type Hash, tableLength } from '@latchkey/xet/format'
import { sql } from 'kysely'
import type { ObjectKey } from '../objects/object-store.ts'
import type { Place, Xorb } from './catalog.ts'
import { isPostgres } from './dialect.ts'
import type { StorageTables } from './schema.ts'

/** The storage token that asks: refreshed tokens of one hub token are one bearer. */
export interface GrantBearer {
  readonly account: string
  readonly hubToken: string
}

/** A grant as a commit names it. */
export interface GrantKey extends GrantBearer {
  readonly place: Place
  readonly key: ObjectKey
  readonly hash: Hash
}

export interface NewGrant extends Omit<GrantKey, 'place'> {
  readonly jti: string
  readonly bytes: number
  readonly endsAt: UnixSeconds
}

export interface FoundGrant {
  readonly bytes: number
  /** Whether it was committed. */
  readonly isUsed: boolean
}

/** A transfer that began before the end may last so long, and so may its commit. */
export const lateSeconds = 3600

export async function insertGrant(
  tables: StorageTables,
  { repositoryUid, refUid }: Place,
  { key, account, hubToken, jti, hash, bytes, endsAt }: NewGrant,
): Promise<void> {
  await tables
    .insertInto('xorb_grants')
    .values({
      ...{ key, repository_uid: repositoryUid, ref_uid: refUid, account, hub_token: hubToken },
      ...{ jti, hash, bytes, ends_at: endsAt, state: 'open' },
    })
    .execute()
}

/** Undefined unless all of it is as it was granted. */
export async function findGrant(
  tables: StorageTables,
  { key, place, account, hubToken, hash }: GrantKey,
  now: UnixSeconds,
): Promise<FoundGrant | undefined> {
  const row = await tables
    .selectFrom('xorb_grants')
    .select(['bytes', 'state'])
    .where('key', '=', key)
    .where('repository_uid', '=', place.repositoryUid)
    .where('ref_uid', '=', place.refUid)
    .where('account', '=', account)
    .where('hub_token', '=', hubToken)
    .where('hash', '=', hash)
    .where('ends_at', '>', now - lateSeconds)
    .where('state', '<>', 'refused')
    .executeTakeFirst()
  return row && { bytes: row.bytes, isUsed: row.state !== 'open' }
}

/** The answer to the commit of a grant, if there was one; a refusal if there can be none. */
export async function answerOf(
  tables: StorageTables,
  key: ObjectKey,
): Promise<boolean | Refusal | undefined> {
  const row = await tables
    .selectFrom('xorb_grants')
    .select('state')
    .where('key', '=', key)
    .executeTakeFirst()
  if (row === undefined || row.state === 'refused') return noGrant(key)
  return row.state === 'open' ? undefined : row.state === 'inserted'
}

export async function useGrant(
  tables: StorageTables,
  key: ObjectKey,
  { xorb, isNew }: { readonly xorb: Xorb; readonly isNew: boolean },
): Promise<void> {
  // Only the check has counted the chunks.
  await tables
    .updateTable('stored_objects')
    .set({ bytes: xorb.packedBytes + tableLength(xorb.chunks) })
    .where('key', '=', key)
    .execute()
  await tables
    .updateTable('xorb_grants')
    .set({ state: isNew ? 'inserted' : 'known' })
    .where('key', '=', key)
    .execute()
}

/** Whether no commit of it can succeed any more. */
export async function refuseGrant(tables: StorageTables, key: ObjectKey): Promise<boolean> {
  const { numUpdatedRows } = await tables
    .updateTable('xorb_grants')
    .set({ state: 'refused' })
    .where('key', '=', key)
    .where('state', '=', 'open')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface GrantsInFlight {
  readonly grants: number
  readonly bytes: number
  readonly bytesOfRepository: number
  readonly bytesInRepository: number
}

/** A grant counts until it is committed, or its row goes: what was put into the store is there until then. */
export async function grantsInFlight(
  tables: StorageTables,
  { repositoryUid }: Place,
  account: string,
): Promise<GrantsInFlight> {
  const { rows } = await sql<Record<keyof GrantsInFlight, number | null>>`
    SELECT * FROM (
      SELECT count(*) AS grants, sum(bytes) AS bytes FROM xorb_grants
      WHERE account = ${account} AND state IN ('open', 'refused')) AS of_account,
    (
      SELECT sum(bytes) AS "bytesOfRepository",
        sum(CASE WHEN account = ${account} THEN bytes END) AS "bytesInRepository"
      FROM xorb_grants
      WHERE repository_uid = ${repositoryUid} AND state IN ('open', 'refused')) AS of_repository`.execute(
    tables,
  )
  const [held] = rows
  const amountOf = (name: keyof GrantsInFlight) => Number(held?.[name] ?? 0)
  return {
    grants: amountOf('grants'),
    bytes: amountOf('bytes'),
    bytesOfRepository: amountOf('bytesOfRepository'),
    bytesInRepository: amountOf('bytesInRepository'),
  }
}

/** 404 makes clients ask for another grant. */
export function noGrant(key: string): Refusal {
  return refuse(
    'resource_not_found',
    `There is no grant ${key} for this xorb, repository, ref and hub token, or nothing was put at its URL. Request another one, with POST /v1/xorb-grants/default/{hash}.`,
  )
}

const maxRemoved = 250

/** Some that ended long ago, of one account or of all. Gives the keys of those that were not committed. */
export async function removeEnded(
  tables: StorageTables,
  now: UnixSeconds,
  account?: string,
): Promise<{ readonly count: number; readonly unused: readonly ObjectKey[] }> {
  const ofAccount = account === undefined ? sql`` : sql`AND account = ${account}`
  // Two that delete the same rows in another order would wait for each other.
  const unlessLocked = isPostgres(tables) ? sql`FOR UPDATE SKIP LOCKED` : sql``
  const { rows } = await sql<{ key: ObjectKey; state: string }>`
    DELETE FROM xorb_grants WHERE key IN (
      SELECT key FROM xorb_grants WHERE ends_at <= ${now - lateSeconds} ${ofAccount}
      LIMIT ${maxRemoved} ${unlessLocked})
    RETURNING key, state`.execute(tables)
  const isUnused = ({ state }: { state: string }) => state === 'open' || state === 'refused'
  return { count: rows.length, unused: rows.filter(isUnused).map(({ key }) => key) }
}
