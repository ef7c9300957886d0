/** The account of a person whom an identity provider vouches for. */

import { type AccountId, isName, type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'
import { typedWord } from '@latchkey/service/text'
import type { Change } from '../tables/change.ts'
import { sameName } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow } from '../tables/rows.ts'
import type { Identity } from './open-providers.ts'
import type { ProviderSettings } from './provider-settings.ts'
import { readGroups } from './read-groups.ts'

export type ProviderConditions = Pick<ProviderSettings, 'groupsClaim' | 'groups' | 'claims'>

/** Why the provider's conditions do not hold; undefined where they do. They hold at every sign-in. */
export function unmetCondition(
  { claims }: Pick<Identity, 'claims'>,
  { groupsClaim, groups, claims: required }: ProviderConditions,
): string | undefined {
  for (const [name, value] of Object.entries(required)) {
    if (claims[name] !== value) return `the claim ${name} has another value`
  }
  if (groups.length === 0) return undefined
  const own = groupsClaim === undefined ? undefined : claims[groupsClaim]
  if (!Array.isArray(own)) return `the claim ${groupsClaim} is no list of groups`
  return groups.some((group) => own.includes(group)) ? undefined : 'none of the groups is allowed'
}

/** A provider may say less in a renewal: what it does not say is not held against the person. */
export function unmetInRenewal(
  { claims }: Pick<Identity, 'claims'>,
  settings: ProviderSettings,
): string | undefined {
  const required = Object.entries(settings.claims).filter(([name]) => Object.hasOwn(claims, name))
  const groups = readGroups(claims, settings) === 'missing' ? [] : settings.groups
  return unmetCondition({ claims }, { ...settings, claims: Object.fromEntries(required), groups })
}

export interface FoundAccount {
  readonly account: AccountRow
  /** The changes that make a new account; none for one that is there. */
  readonly changes: readonly Change[]
}

interface Sought {
  readonly identity: Identity
  readonly provider: ProviderSettings
  readonly now: UnixSeconds
  readonly randomBytes: RandomBytes
}

/** By issuer and subject alone: a mail address or a name can change hands. */
export async function findAccountOf(
  tables: Reading,
  { identity, provider, now, randomBytes }: Sought,
): Promise<FoundAccount | Refusal> {
  const { issuer, subject, claims } = identity
  const linkedAccount = await findLinkedAccount(tables, identity)
  if (linkedAccount?.disabled === 1)
    return refuse(
      'permission_denied',
      'This account is disabled. Ask an administrator of this hub.',
    )
  if (linkedAccount !== undefined) return { account: linkedAccount, changes: [] }
  const name = claims[provider.nameClaim]
  if (typeof name !== 'string' || !isName(name))
    return notLinked(identity, provider, 'has no name that an account can have')
  if (await isNameTaken(tables, name))
    return notLinked(identity, provider, `has the name "${name}", which is taken`)
  const account: AccountRow = {
    id: newId<AccountId>(randomBytes),
    ...{ name, kind: 'user', administrator: 0, disabled: 0, created_at: now, origin: 'sign-in' },
  }
  const row = { issuer, subject, account_id: account.id, provider: provider.name, created_at: now }
  return {
    account,
    changes: [
      { thing: 'account', after: account },
      { thing: 'identity', after: row, account },
    ],
  }
}

export function findLinkedAccount(
  tables: Reading,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<AccountRow | undefined> {
  return tables
    .selectFrom('identities')
    .innerJoin('accounts', 'accounts.id', 'identities.account_id')
    .selectAll('accounts')
    .where('identities.issuer', '=', issuer)
    .where('identities.subject', '=', subject)
    .executeTakeFirst()
}

/** Somebody else may have made an account or a namespace of this name, which stays theirs. */
export async function isNameTaken(tables: Reading, name: string): Promise<boolean> {
  const account = tables.selectFrom('accounts').select('id').where(sameName(name))
  if ((await account.executeTakeFirst()) !== undefined) return true
  const namespace = tables.selectFrom('namespaces').select('id').where(sameName(name))
  return (await namespace.executeTakeFirst()) !== undefined
}

function notLinked(
  { issuer, subject }: Identity,
  { name }: ProviderSettings,
  why: string,
): Refusal {
  return refuse(
    'conflict',
    `Your identity ${why}. An administrator can link it to an account with: latchkey account link ACCOUNT --provider ${name} --issuer ${typedWord(issuer)} --subject ${typedWord(subject)}`,
    { reason: why },
  )
}
