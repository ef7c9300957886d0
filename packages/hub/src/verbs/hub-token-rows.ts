/** Rows of hub tokens: the rules that hold for each, and the making of one. */

import type { AdminScope, Expiry } from '@latchkey/admin-api'
import {
  defaultStorage,
  type HubTokenGrant,
  type HubTokenKind,
  type HubTokenOrigin,
  type Refusal,
  refuse,
  type Secret,
  type StorageName,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import { hashHubToken, hintOf, makeHubToken } from '../identity/hub-token.ts'
import { refuseUnknownStorage } from '../minting/storage-names.ts'
import type { Change } from '../tables/change.ts'
import type { Work } from '../tables/directory.ts'
import type { AccountRow, HubTokenRow } from '../tables/rows.ts'

interface HubTokenWish {
  readonly grants?: readonly HubTokenGrant[] | undefined
  readonly adminScopes?: readonly AdminScope[] | undefined
  readonly expiresAt?: Expiry | undefined
}

export interface NewHubToken extends HubTokenWish {
  readonly name: string
  readonly kind: HubTokenKind
  /** How it comes to be, if not through an administrator. */
  readonly origin?: HubTokenOrigin | undefined
  /** For the kind `storage`: the storage that uses it, if not the one at `casUrl`. */
  readonly storage?: StorageName | undefined
  /** For the kind `admin`: what a delegated administrator manages. */
  readonly namespaces?: readonly string[] | undefined
}

export function makeHubTokenRow(
  { now, randomBytes, hubTokenPrefix, secretBytes = randomBytes }: Work,
  account: AccountRow,
  {
    name,
    kind,
    origin = 'admin',
    grants,
    adminScopes,
    namespaces,
    storage,
    expiresAt,
  }: NewHubToken,
): { row: HubTokenRow; token: Secret<'hub-token'> } {
  const token = makeHubToken(hubTokenPrefix, secretBytes)
  const row: HubTokenRow = {
    id: newId(randomBytes),
    account_id: account.id,
    name,
    kind,
    origin,
    secret_hash: hashHubToken(token),
    hint: hintOf(token),
    grants: JSON.stringify(grants ?? []),
    admin_scopes: adminScopes === undefined ? null : JSON.stringify(adminScopes),
    namespaces: namespaces === undefined ? null : JSON.stringify(namespaces),
    storage: kind === 'storage' ? (storage ?? defaultStorage) : null,
    created_at: now,
    expires_at: expiresAt?.at ?? null,
    revoked_at: null,
    last_used_at: null,
  }
  return { row, token }
}

/** The columns that `hub-token set` and `apply` can change. */
export function changedHubTokenRow(
  row: HubTokenRow,
  { grants, adminScopes, expiresAt }: HubTokenWish,
): HubTokenRow {
  return {
    ...row,
    grants: grants === undefined ? row.grants : JSON.stringify(grants),
    admin_scopes: adminScopes === undefined ? row.admin_scopes : JSON.stringify(adminScopes),
    expires_at: expiresAt === undefined ? row.expires_at : expiresAt.at,
  }
}

export async function checkNewHubToken(
  work: Work,
  account: AccountRow,
  wish: NewHubToken,
): Promise<Refusal | undefined> {
  if (wish.kind === 'fine-grained' && wish.grants === undefined) {
    return wrong('grants', 'A fine-grained hub token needs at least one grant.')
  }
  if (wish.namespaces !== undefined && wish.kind !== 'admin') {
    return wrong('namespaces', `Only admin hub tokens carry namespaces; this one is ${wish.kind}.`)
  }
  const isDelegated = wish.namespaces !== undefined
  if (wish.kind === 'admin' && account.administrator !== 1 && !isDelegated) {
    return refuse(
      'conflict',
      `Only administrators can have admin hub tokens, and "${account.name}" is not an administrator. Make the account an administrator first, choose another kind, or name the namespaces that it manages.`,
      { path: 'kind', next: ['account', 'set', account.name, '--administrator'] },
    )
  }
  if (wish.storage !== undefined && wish.kind !== 'storage') {
    return wrong('storage', `Only hub tokens of kind storage name one; this one is ${wish.kind}.`)
  }
  return checkHubToken(work, wish.kind, wish) ?? refuseUnknownStorage(work.tables, wish.storage)
}

/** The rules that hold for a new hub token and for every change of one. */
export function checkHubToken(
  { now }: Pick<Work, 'now'>,
  kind: string,
  { grants, adminScopes, expiresAt }: HubTokenWish,
): Refusal | undefined {
  if (grants !== undefined && kind !== 'fine-grained') {
    return wrong('grants', `Only fine-grained hub tokens have grants; this one is ${kind}.`)
  }
  if (grants?.length === 0) {
    return wrong('grants', 'A fine-grained hub token needs at least one grant.')
  }
  if (adminScopes !== undefined && kind !== 'admin') {
    return wrong('adminScopes', `Only admin hub tokens have admin scopes; this one is ${kind}.`)
  }
  if (expiresAt !== undefined && expiresAt.at !== null && expiresAt.at <= now) {
    return wrong('expiresAt', 'The expiry must lie in the future. To end a hub token, revoke it.')
  }
  return undefined
}

function wrong(path: string, detail: string): Refusal {
  return refuse('bad_request', detail, { path })
}

/** Changes nothing if the prefix is known already. */
export async function prefixChange({
  tables,
  hubTokenPrefix: prefix,
  now,
}: Pick<Work, 'tables' | 'hubTokenPrefix' | 'now'>): Promise<Change[]> {
  const storedPrefix = await tables
    .selectFrom('hub_token_prefixes')
    .select('prefix')
    .where('prefix', '=', prefix)
    .executeTakeFirst()
  return storedPrefix === undefined
    ? [{ thing: 'prefix', after: { prefix, first_used_at: now } }]
    : []
}
