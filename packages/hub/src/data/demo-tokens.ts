/** Security boundary: the secrets of the demo's hub tokens, derived from its master key so that a restart keeps them. */

import { hkdfSync } from 'node:crypto'
import type { Secret, UnixSeconds } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { hashHubToken, makeHubToken } from '../identity/hub-token.ts'
import type { MasterKey } from '../keys/master-key.ts'
import { findMasterKey } from '../keys/seal.ts'
import { type SealedUnder, storedKeys } from '../keys/stored-keys.ts'
import type { Directory, Reading } from '../tables/directory.ts'
import type { HubTokenRow } from '../tables/rows.ts'

export interface DemoToken {
  readonly token: Secret<'hub-token'>
  /** The random bytes of the token. */
  readonly bytes: Buffer
  /** Undefined where no hub token has this secret yet. */
  readonly id: string | undefined
  /** An earlier one of this name was revoked, or has expired. */
  readonly isReplacement: boolean
}

export interface DemoSecrets extends SealedUnder {
  readonly hubTokenPrefix: string
  readonly now: UnixSeconds
}

interface Named {
  /** The account's name. */
  readonly account: string
  readonly name: string
}

/**
 * Only in a directory with the demo mark. Undefined without the account. The account's id is random and part of the derivation: the token opens no other
 * demo with the same master key, nor an account that was deleted and made again. A secret that was revoked never comes back: the next one is taken.
 */
export async function findDemoToken(
  tables: Reading,
  { data, masterKey, hubTokenPrefix, now }: DemoSecrets,
  { account, name }: Named,
): Promise<DemoToken | undefined> {
  if (!(await isDemoData(tables))) throw new Error('hub tokens are derived in a demo only')
  const key = masterKey ?? (await findMasterKey(data, await storedKeys(tables)))
  const owner = await tables
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', account)
    .executeTakeFirst()
  if (owner === undefined) return undefined
  for (let generation = 0; ; generation += 1) {
    const bytes = derived(key, [owner.id, name, generation])
    const token = makeHubToken(hubTokenPrefix, () => bytes)
    const row = await tables
      .selectFrom('hub_tokens')
      .selectAll()
      .where('secret_hash', '=', hashHubToken(token))
      .executeTakeFirst()
    if (row !== undefined && !isLive(row, now)) continue
    return { token, bytes, id: row?.id, isReplacement: generation > 0 }
  }
}

function isLive({ revoked_at, expires_at }: HubTokenRow, now: UnixSeconds): boolean {
  return revoked_at === null && (expires_at === null || expires_at > now)
}

function derived(masterKey: MasterKey, of: readonly (string | number)[]): Buffer {
  const key = Buffer.from(masterKey.reveal(), 'base64')
  const info = `latchkey demo hub token ${JSON.stringify(of)}`
  return Buffer.from(hkdfSync('sha256', key, '', info, 32))
}

export async function claimForDemo(directory: Directory, data: string): Promise<void> {
  await directory.note('demo mark', async ({ tables }) => {
    if (await isDemoData(tables)) return
    if (await isInUse(tables)) {
      throw new CannotStart(
        `the data directory ${data} holds real data, so the demo does not touch it. Choose another with --data.`,
      )
    }
    await tables.insertInto('settings').values({ name: 'demo', value: 'yes' }).execute()
  })
}

export async function refuseDemoData(
  directory: Pick<Directory, 'read'>,
  data: string,
): Promise<void> {
  if (!(await directory.read(isDemoData))) return
  throw new CannotStart(
    `the data directory ${data} holds demo data. Start it with --demo, or choose another with --data.`,
  )
}

export async function refuseRealData(directory: Directory, data: string): Promise<void> {
  if (await directory.read(isDemoData)) return
  throw new CannotStart(
    `the data directory ${data} holds no demo. Start one with "latchkey serve --demo", or name its directory with --data.`,
  )
}

async function isInUse(tables: Reading): Promise<boolean> {
  const account = await tables.selectFrom('accounts').select('id').limit(1).executeTakeFirst()
  const key = await tables.selectFrom('signing_keys').select('kid').limit(1).executeTakeFirst()
  return account !== undefined || key !== undefined
}

async function isDemoData(tables: Reading): Promise<boolean> {
  const row = await tables
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'demo')
    .executeTakeFirst()
  return row !== undefined
}
