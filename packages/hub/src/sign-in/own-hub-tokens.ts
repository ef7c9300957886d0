/** The hub tokens of one account, as the account itself manages them: never more than it has itself. */

import { grants as grantsSchema } from '@latchkey/admin-api'
import {
  type AccountId,
  type HubTokenGrant,
  type HubTokenId,
  type HubTokenKind,
  isName,
  isRefusal,
  type Refusal,
  refuse,
  type Secret,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import type { Origin } from '../tables/change.ts'
import { ownedHubTokens, revokeOwned, sameName, splitOwned } from '../tables/columns.ts'
import type { Directory } from '../tables/directory.ts'
import type { HubTokenRow } from '../tables/rows.ts'
import { makeHubTokenRow, prefixChange } from '../verbs/hub-token-rows.ts'
import { noHubToken } from '../verbs/hub-token-view.ts'
import type { Session } from './session-port.ts'

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

export interface OwnDeps {
  readonly directory: Directory
  readonly randomBytes: RandomBytes
  readonly hubTokenPrefix: string
  readonly policy: HubTokenPolicy
}

/** The person who acts, by a session or by a hub token of the account. */
export interface Self {
  readonly accountId: AccountId
  readonly accountName: string
  readonly hubTokenId: HubTokenId
}

interface At {
  readonly now: UnixSeconds
  readonly requestId: string
}

export interface OwnWish {
  readonly name: string
  readonly kind: string
  /** Undefined for one without an end. */
  readonly days: number | undefined
  readonly grants?: readonly HubTokenGrant[] | undefined
}

export interface MadeToken {
  readonly name: string
  readonly token: Secret<'hub-token'>
  readonly expiresAt: UnixSeconds | undefined
}

const daySeconds = 86_400

export async function createOwn(
  session: Session,
  wish: OwnWish,
  { now, requestId }: At,
  deps: OwnDeps,
): Promise<MadeToken | Refusal> {
  const refused = refuseStale(session, now) ?? refuseWish(wish, deps.policy)
  if (refused !== undefined) return refused
  const expiresAt = endOf(wish.days, session, { now, policy: deps.policy })
  if (isRefusal(expiresAt)) return expiresAt
  const { directory, randomBytes, hubTokenPrefix } = deps
  return directory.change(async ({ tables, putAs }) => {
    const account = await tables
      .selectFrom('accounts')
      .selectAll()
      .where('id', '=', session.accountId)
      .where('disabled', '=', 0)
      .executeTakeFirst()
    if (account === undefined) return noHubToken()
    const sameNameToken = await tables
      .selectFrom('hub_tokens')
      .select('id')
      .where('account_id', '=', account.id)
      .where('revoked_at', 'is', null)
      .where(sameName(wish.name))
      .executeTakeFirst()
    if (sameNameToken !== undefined) {
      return refuse(
        'conflict',
        `You have a hub token called "${wish.name}" already. Choose another name, or rotate that hub token.`,
        { path: 'name' },
      )
    }
    const work = { tables, now, randomBytes, hubTokenPrefix }
    const { row, token } = makeHubTokenRow(work, account, {
      ...{ name: wish.name, kind: wish.kind as OwnKind, origin: 'self', grants: wish.grants },
      expiresAt: { at: expiresAt ?? null },
    })
    const prefix = await prefixChange(work)
    await putAs(originOf(session, 'hub-token create', requestId))([
      ...prefix,
      { thing: 'hub-token', after: row, account },
    ])
    return { name: row.name, token, expiresAt }
  })
}

/** A new secret for the same hub token: the old one ends at once, and the new one no later than the old. */
export async function rotateOwn(
  session: Session,
  id: HubTokenId,
  { now, requestId }: At,
  { directory, randomBytes, hubTokenPrefix, policy }: OwnDeps,
): Promise<MadeToken | Refusal> {
  const refused = refuseStale(session, now)
  if (refused !== undefined) return refused
  return directory.change(async ({ tables, putAs }) => {
    const owned = await ownedHubTokens(tables)
      .where('hub_tokens.id', '=', id)
      .where('hub_tokens.account_id', '=', session.accountId)
      .executeTakeFirst()
    if (owned === undefined || owned.revoked_at !== null) return noHubToken()
    const { row: before, account } = splitOwned(owned)
    if (!isOwnKind(before.kind) || !['admin', 'self'].includes(before.origin)) {
      return refuse(
        'conflict',
        'This hub token is not rotated here: an administrator makes admin and storage tokens, and a sign-in makes its own.',
      )
    }
    if (isEnded(before, now)) {
      return refuse('conflict', 'This hub token has expired. Create a new one.')
    }
    const most = latestEnd(session, { now, policy })
    const end = Math.min(before.expires_at ?? Number.POSITIVE_INFINITY, most)
    const expiresAt = end === Number.POSITIVE_INFINITY ? undefined : (end as UnixSeconds)
    const full = await tables
      .selectFrom('accounts')
      .selectAll()
      .where('id', '=', account.id)
      .executeTakeFirstOrThrow()
    const work = { tables, now, randomBytes, hubTokenPrefix }
    const grants: readonly HubTokenGrant[] = JSON.parse(before.grants)
    const { row, token } = makeHubTokenRow(work, full, {
      ...{ name: before.name, kind: before.kind, origin: 'self', grants },
      expiresAt: { at: expiresAt ?? null },
    })
    const prefix = await prefixChange(work)
    await putAs(originOf(session, 'hub-token rotate', requestId))([
      { thing: 'hub-token', before, after: { ...before, revoked_at: now }, account },
      ...prefix,
      { thing: 'hub-token', after: row, account },
    ])
    return { name: row.name, token, expiresAt }
  })
}

/** Ends one hub token or session of the account. */
export async function revokeOwn(
  self: Self,
  id: HubTokenId,
  { now, requestId }: At,
  { directory }: Pick<OwnDeps, 'directory'>,
): Promise<{ readonly id: HubTokenId; readonly name: string } | Refusal> {
  return directory.change(async ({ tables, putAs }) => {
    const owned = await ownedHubTokens(tables)
      .where('hub_tokens.id', '=', id)
      .where('hub_tokens.account_id', '=', self.accountId)
      .executeTakeFirst()
    if (owned === undefined) return noHubToken()
    if (owned.revoked_at === null) {
      await putAs(originOf(self, 'hub-token revoke', requestId))([revokeOwned(owned, now)])
    }
    return { id: owned.id, name: owned.name }
  })
}

function originOf(
  { accountId, accountName, hubTokenId }: Self,
  verb: string,
  requestId: string,
): Origin {
  return { verb, actor: { accountId, accountName, hubTokenId }, requestId }
}

function isEnded({ expires_at }: HubTokenRow, now: UnixSeconds): boolean {
  return expires_at !== null && expires_at <= now
}

/** A browser that was left open makes nothing that lasts. */
export function refuseStale(session: Session, now: UnixSeconds): Refusal | undefined {
  if (session.isFresh(now)) return undefined
  return refuse(
    'permission_denied',
    'This needs a sign-in of the last 15 minutes, by an identity provider or with an unrestricted hub token of kind write. Sign in again, and repeat this.',
  )
}

function isOwnKind(kind: string): kind is OwnKind {
  return (ownKinds as readonly string[]).includes(kind)
}

function refuseWish({ name, kind, grants }: OwnWish, policy: HubTokenPolicy): Refusal | undefined {
  if (!isName(name) || name.toLowerCase() === 'default') {
    return refuse(
      'bad_request',
      'The name needs 1 to 96 letters, digits, ".", "_" or "-", and is not "default".',
      {
        path: 'name',
      },
    )
  }
  if (!isOwnKind(kind) || !policy.kinds.includes(kind)) {
    const list = policy.kinds.join(', ')
    return refuse(
      'permission_denied',
      `Hub tokens that you make yourself have one of these kinds: ${list}.`,
      {
        path: 'kind',
      },
    )
  }
  if ((kind === 'fine-grained') !== (grants !== undefined && grants.length > 0)) {
    return refuse(
      'bad_request',
      'A fine-grained hub token names at least one repository, and no other kind names any.',
      { path: 'grants' },
    )
  }
  return undefined
}

interface EndRules {
  readonly now: UnixSeconds
  readonly policy: HubTokenPolicy
}

function latestEnd({ makesUntil }: Session, { now, policy: { maxDays } }: EndRules): number {
  const byPolicy = maxDays === 0 ? Number.POSITIVE_INFINITY : now + maxDays * daySeconds
  return Math.min(byPolicy, makesUntil ?? Number.POSITIVE_INFINITY)
}

function endOf(
  days: number | undefined,
  session: Session,
  { now, policy }: EndRules,
): UnixSeconds | undefined | Refusal {
  const { maxDays } = policy
  if (maxDays !== 0 && (days === undefined || days > maxDays)) {
    return refuse(
      'permission_denied',
      `A hub token that you make yourself ends after ${maxDays} days at the latest. Choose a shorter life.`,
      {
        path: 'days',
      },
    )
  }
  const wishedEnd = days === undefined ? Number.POSITIVE_INFINITY : now + days * daySeconds
  // No later than the hub token that was used to sign in.
  const end = Math.min(wishedEnd, latestEnd(session, { now, policy }))
  return end === Number.POSITIVE_INFINITY ? undefined : (end as UnixSeconds)
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
