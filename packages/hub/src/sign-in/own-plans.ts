/** Hub tokens that people make for themselves: judged first, so that a page can show what will be made, and made later. */

import { grants as grantsSchema } from '@latchkey/admin-api'
import {
  type AccountId,
  type HubTokenGrant,
  type HubTokenId,
  type HubTokenKind,
  isName,
  type Refusal,
  refuse,
  type Secret,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import type { Origin } from '../tables/change.ts'
import { ownedHubTokens, sameName, splitOwned } from '../tables/columns.ts'
import type { Reading, Transaction } from '../tables/directory.ts'
import type { AccountRow, HubTokenRow } from '../tables/rows.ts'
import { makeHubTokenRow, prefixChange } from '../verbs/hub-token-rows.ts'
import { noHubToken } from '../verbs/hub-token-view.ts'

/** The rules of the operator for hub tokens that people make for themselves. */
export interface HubTokenPolicy {
  /** The longest life in days; 0 is no limit. */
  readonly maxDays: number
  /** A hub token that was not used for so many days is revoked; 0 keeps it. */
  readonly unusedDays: number
  readonly kinds: readonly OwnKind[]
}

export const ownKinds = ['read', 'write', 'fine-grained'] as const satisfies readonly HubTokenKind[]
export type OwnKind = (typeof ownKinds)[number]

export const usualHubTokenPolicy: HubTokenPolicy = { maxDays: 0, unusedDays: 0, kinds: ownKinds }

/** The person who acts, by a session or by a hub token of the account. */
export interface Self {
  readonly accountId: AccountId
  readonly accountName: string
  readonly hubTokenId: HubTokenId
}

/** The same with the end of the sign-in, which nothing outlives that is made from it. */
export interface Maker extends Self {
  readonly makesUntil: UnixSeconds | undefined
}

export interface OwnWish {
  readonly name: string
  readonly kind: string
  /** Undefined for one without an end. */
  readonly expiresAt: UnixSeconds | undefined
  readonly grants?: readonly HubTokenGrant[] | undefined
}

/** The hub token that will be made, if its conditions still hold then. */
export interface OwnPlan {
  readonly name: string
  readonly kind: OwnKind
  readonly grants: readonly HubTokenGrant[]
  readonly expiresAt: UnixSeconds | undefined
  readonly account: AccountRow
  /** The hub token whose secret is replaced. */
  readonly replaces?: HubTokenRow
}

interface EndRules {
  readonly now: UnixSeconds
  readonly policy: HubTokenPolicy
}

const daySeconds = 86_400

export async function planCreation(
  tables: Reading,
  maker: Maker,
  { wish, now, policy }: EndRules & { readonly wish: OwnWish },
): Promise<OwnPlan | Refusal> {
  const { name, kind, grants = [] } = wish
  if (!isOwnKind(kind) || !policy.kinds.includes(kind)) return kindRefusal(policy)
  const refused = refuseWish(wish) ?? refuseEnd(wish.expiresAt, { now, policy })
  if (refused !== undefined) return refused
  const account = await liveAccount(tables, maker)
  if (account === undefined) return noHubToken()
  const sameNameToken = await tables
    .selectFrom('hub_tokens')
    .select('id')
    .where('account_id', '=', account.id)
    .where('revoked_at', 'is', null)
    .where(sameName(name))
    .executeTakeFirst()
  if (sameNameToken !== undefined) {
    return refuse(
      'conflict',
      `You have a hub token called "${name}" already. Choose another name, or rotate that hub token.`,
      { path: 'name' },
    )
  }
  const expiresAt = earliest(wish.expiresAt, latestEnd(maker, { now, policy }))
  return { name, kind, grants, expiresAt, account }
}

/** The new secret ends no later than the old one. */
export async function planRotation(
  tables: Reading,
  maker: Maker,
  { id, now, policy }: EndRules & { readonly id: HubTokenId },
): Promise<OwnPlan | Refusal> {
  const owned = await ownedHubTokens(tables)
    .where('hub_tokens.id', '=', id)
    .where('hub_tokens.account_id', '=', maker.accountId)
    .executeTakeFirst()
  if (owned === undefined || owned.revoked_at !== null) return noHubToken()
  const { row: replaces } = splitOwned(owned)
  const { name, kind, origin, expires_at } = replaces
  if (!isOwnKind(kind) || !['admin', 'self'].includes(origin)) {
    return refuse(
      'conflict',
      'This hub token is not rotated here: an administrator makes admin and storage tokens, and a sign-in makes its own.',
    )
  }
  if (!policy.kinds.includes(kind)) return kindRefusal(policy)
  if (expires_at !== null && expires_at <= now) {
    return refuse('conflict', 'This hub token has expired. Create a new one.')
  }
  const account = await liveAccount(tables, maker)
  if (account === undefined) return noHubToken()
  const expiresAt = earliest(expires_at ?? undefined, latestEnd(maker, { now, policy }))
  const grants: readonly HubTokenGrant[] = JSON.parse(replaces.grants)
  return { name, kind, grants, expiresAt, account, replaces }
}

export interface MadeToken {
  readonly id: HubTokenId
  readonly name: string
  readonly kind: OwnKind
  readonly token: Secret<'hub-token'>
  readonly expiresAt: UnixSeconds | undefined
}

interface Making {
  readonly plan: OwnPlan
  readonly now: UnixSeconds
  readonly requestId: string
  readonly randomBytes: RandomBytes
  readonly hubTokenPrefix: string
}

/** In the transaction that has judged the plan. */
export async function makePlanned(
  { tables, putAs }: Pick<Transaction, 'tables' | 'putAs'>,
  maker: Self,
  { plan, now, requestId, randomBytes, hubTokenPrefix }: Making,
): Promise<MadeToken> {
  const { name, kind, grants, expiresAt, account, replaces: before } = plan
  const work = { tables, now, randomBytes, hubTokenPrefix }
  const { row, token } = makeHubTokenRow(work, account, {
    ...{ name, kind, origin: 'self', grants, expiresAt: { at: expiresAt ?? null } },
  })
  const prefix = await prefixChange(work)
  const verb = before === undefined ? 'hub-token create' : 'hub-token rotate'
  await putAs(originOf(maker, verb, requestId))([
    ...(before === undefined
      ? []
      : [{ thing: 'hub-token', before, after: { ...before, revoked_at: now }, account } as const]),
    ...prefix,
    { thing: 'hub-token', after: row, account },
  ])
  return { id: row.id, name, kind, token, expiresAt }
}

export function originOf(
  { accountId, accountName, hubTokenId }: Self,
  verb: string,
  requestId: string,
): Origin {
  return { verb, actor: { accountId, accountName, hubTokenId }, requestId }
}

function liveAccount(tables: Reading, { accountId }: Self): Promise<AccountRow | undefined> {
  return tables
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', accountId)
    .where('disabled', '=', 0)
    .executeTakeFirst()
}

function isOwnKind(kind: string): kind is OwnKind {
  return (ownKinds as readonly string[]).includes(kind)
}

function kindRefusal({ kinds }: HubTokenPolicy): Refusal {
  return refuse(
    'permission_denied',
    `Hub tokens that you make yourself have one of these kinds: ${kinds.join(', ')}.`,
    { path: 'kind' },
  )
}

function refuseWish({ name, kind, grants = [] }: OwnWish): Refusal | undefined {
  if (!isName(name) || name.toLowerCase() === 'default') {
    return refuse(
      'bad_request',
      'The name needs 1 to 96 letters, digits, ".", "_" or "-", and is not "default".',
      { path: 'name' },
    )
  }
  if ((kind === 'fine-grained') !== grants.length > 0) {
    return refuse(
      'bad_request',
      'A fine-grained hub token names at least one repository, and no other kind names any.',
      { path: 'grants' },
    )
  }
  return undefined
}

function refuseEnd(
  end: UnixSeconds | undefined,
  { now, policy: { maxDays } }: EndRules,
): Refusal | undefined {
  if (end !== undefined && end <= now) {
    return refuse('bad_request', 'The end of a hub token lies in the future.', {
      path: 'expiresAt',
    })
  }
  if (maxDays === 0 || (end !== undefined && end <= now + maxDays * daySeconds)) return undefined
  return refuse(
    'permission_denied',
    `A hub token that you make yourself ends after ${maxDays} days at the latest. Choose a shorter life.`,
    { path: 'expiresAt' },
  )
}

/** By the policy, and no later than the hub token that was used to sign in. */
function latestEnd({ makesUntil }: Maker, { now, policy: { maxDays } }: EndRules): number {
  const byPolicy = maxDays === 0 ? Number.POSITIVE_INFINITY : now + maxDays * daySeconds
  return Math.min(byPolicy, makesUntil ?? Number.POSITIVE_INFINITY)
}

function earliest(end: number | undefined, latest: number): UnixSeconds | undefined {
  const first = Math.min(end ?? Number.POSITIVE_INFINITY, latest)
  return first === Number.POSITIVE_INFINITY ? undefined : (first as UnixSeconds)
}

/** Repositories and refs as a person writes them into the form: one in a line. */
export function writtenGrants(
  repositories: string,
  { contents, refs }: { readonly contents: string; readonly refs: string },
): readonly HubTokenGrant[] | Refusal {
  const lines = (text: string) => text.split(/[\s,]+/).filter((line) => line !== '')
  const named = lines(refs)
  const written = lines(repositories).map((on) => ({
    ...{ on, contents },
    ...(named.length > 0 && { refs: named }),
  }))
  const parsed = grantsSchema.safeParse(written)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return refuse(
    'bad_request',
    `Each line names repositories, for example models/acme/bert or acme/*, and the refs are branches or patterns: ${issue?.message}`,
    { path: 'grants' },
  )
}
