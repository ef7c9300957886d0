/** Rows of trusted publishers: found, made, changed, and the rules that hold for each. */

import { hash } from 'node:crypto'
import type { PublisherPreset } from '@latchkey/admin-api'
import { type Refusal, type RepositoryUid, refuse, type Scope } from '@latchkey/protocol'
import {
  allowedValues,
  claimsIn,
  publisherNarrows,
  ruleOf,
} from '../permission/trusted-publisher.ts'
import type { Change } from '../tables/change.ts'
import { chunked, ownedHubTokens, revokeOwned, sameName } from '../tables/columns.ts'
import type { Reading, Work } from '../tables/directory.ts'
import type { AccountRow, PublisherRow, RepositoryRow } from '../tables/rows.ts'
import { newAccountRow } from './accounts.ts'
import { collaborators } from './roles.ts'

const usualIssuers: Readonly<Record<PublisherPreset, string | undefined>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
  other: undefined,
}

interface PublisherWish {
  readonly contents?: Scope | undefined
  readonly claims?: readonly string[] | undefined
  readonly refs?: readonly string[] | undefined
  readonly maxSeconds?: number | undefined
  readonly label?: string | undefined
}

export interface NewPublisher extends PublisherWish {
  readonly name: string
  readonly preset: PublisherPreset
  readonly contents: Scope
  readonly claims: readonly string[]
  readonly issuer?: string | undefined
  readonly maxSeconds: number
}

/** A rule with its service account. */
export interface PublisherPlace {
  readonly row: PublisherRow
  readonly account: AccountRow
}

export function newPublisher(
  work: Work,
  repository: RepositoryRow,
  { name, preset, issuer, ...wish }: NewPublisher,
): PublisherPlace | Refusal {
  const actualIssuer = issuer ?? usualIssuers[preset]
  if (actualIssuer === undefined) return noIssuer()
  const account = newAccountRow(work, {
    name: accountName(name, repository),
    kind: 'service',
  })
  const plain = {
    repository_uid: repository.uid,
    account_id: account.id,
    name,
    preset,
    issuer: actualIssuer,
    claims: '[]',
    contents: wish.contents,
    refs: null,
    max_seconds: wish.maxSeconds,
    label: null,
    created_at: work.now,
  }
  const row = changedPublisherRow(plain, wish)
  return checkPublisher(row) ?? { row, account }
}

/** Names of accounts are unique, and logs show them. */
function accountName(name: string, { path }: RepositoryRow): string {
  const place = hash('sha256', `${path} ${name.toLowerCase()}`).slice(0, 8)
  return `ci-${name.slice(0, 64).replace(/[.-]+$/, '')}-${place}`
}

function changedPublisherRow(row: PublisherRow, wish: PublisherWish): PublisherRow {
  const preset = row.preset as PublisherPreset
  const claims = wish.claims && withUsualClaims(preset, wish.claims)
  return {
    ...row,
    claims: claims === undefined ? row.claims : JSON.stringify(claims),
    contents: wish.contents ?? row.contents,
    refs: wish.refs === undefined ? row.refs : JSON.stringify(wish.refs),
    max_seconds: wish.maxSeconds ?? row.max_seconds,
    label: wish.label ?? row.label,
  }
}

export function createdPublisher(
  repository: RepositoryRow,
  { row, account }: PublisherPlace,
): Change[] {
  return [
    { thing: 'account', after: account },
    { thing: 'publisher', after: row, repository, account },
    collaborators.change(repository, { account, before: undefined, after: row.contents }),
  ]
}

/** Its account goes with it, and with that every hub token and every storage token of the rule. */
export function deletedPublisher(
  repository: RepositoryRow,
  { row, account }: PublisherPlace,
): Change {
  return { thing: 'publisher', before: row, repository, account }
}

export function findPublisher(
  tables: Reading,
  uid: RepositoryUid,
  name: string,
): Promise<PublisherRow | undefined> {
  return tables
    .selectFrom('trusted_publishers')
    .selectAll()
    .where('repository_uid', '=', uid)
    .where(sameName(name))
    .executeTakeFirst()
}

export function publishersOf(tables: Reading, uid: RepositoryUid): Promise<PublisherRow[]> {
  return tables
    .selectFrom('trusted_publishers')
    .selectAll()
    .where('repository_uid', '=', uid)
    .orderBy('name')
    .execute()
}

async function revokedTokens(
  tables: Reading,
  { account_id }: PublisherRow,
  now: number,
): Promise<Change[]> {
  const live = await ownedHubTokens(tables)
    .where('hub_tokens.account_id', '=', account_id)
    .where('hub_tokens.revoked_at', 'is', null)
    .where('hub_tokens.expires_at', '>', now)
    .execute()
  return live.map((owned) => revokeOwned(owned, now))
}

/** A platform gives these values to jobs that outsiders cannot start. */
const usualClaims: Readonly<Record<PublisherPreset, Readonly<Record<string, readonly string[]>>>> =
  {
    github: { event_name: ['push', 'workflow_dispatch', 'schedule', 'release'] },
    gitlab: {
      pipeline_source: ['push', 'web', 'schedule', 'api', 'trigger'],
      ref_protected: ['true'],
    },
    other: {},
  }

/** They are stored with the rest, so that a list shows every condition. */
function withUsualClaims(preset: PublisherPreset, claims: readonly string[]): readonly string[] {
  const named = allowedValues(claims)
  const usual = Object.entries(usualClaims[preset]).filter(([claim]) => !named.has(claim))
  return [
    ...new Set(claims),
    ...usual.flatMap(([claim, values]) => values.map((value) => `${claim}=${value}`)),
  ]
}

interface RequiredClaim {
  readonly shape: RegExp
  readonly expected: string
  readonly isSingle?: boolean
}

const id: RequiredClaim = { shape: /^\d{1,20}$/, expected: 'the number of it', isSingle: true }

const requiredClaims: Readonly<Record<PublisherPreset, Readonly<Record<string, RequiredClaim>>>> = {
  github: {
    repository_id: id,
    repository_owner_id: id,
    ref: {
      shape: /^refs\/(?:heads|tags)\/[^*]+$/,
      expected: 'a full name such as refs/heads/main',
    },
  },
  gitlab: {
    project_id: id,
    namespace_id: id,
    ref: { shape: /^[^*]+$/, expected: 'the name of a branch or tag' },
    ref_type: { shape: /^(?:branch|tag)$/, expected: 'branch or tag', isSingle: true },
  },
  other: { sub: { shape: /./, expected: 'the subject of the id token' } },
}

/** The hub compares these itself. */
const ownClaims = ['iss', 'aud', 'exp', 'iat', 'nbf', 'jti']

const namesOnly =
  /^https:\/\/(?:token\.actions\.githubusercontent\.com|gitlab\.com)$|\/_services\/token$/

function checkPublisher(row: PublisherRow): Refusal | undefined {
  const preset = row.preset as PublisherPreset
  const allowed = allowedValues(claimsIn(row))
  if (preset === 'other' && namesOnly.test(row.issuer)) return presetNeeded(row.issuer)
  if (row.contents === 'write' && row.refs === null) return refsNeeded()
  const own = ownClaims.find((claim) => allowed.has(claim))
  if (own !== undefined) return wrongClaim(`The hub checks ${own} itself. Leave it out.`)
  for (const [claim, { shape, expected, isSingle = false }] of Object.entries(
    requiredClaims[preset],
  )) {
    const values = [...(allowed.get(claim) ?? [])]
    const isFine = values.length > 0 && values.every((value) => shape.test(value))
    if (!isFine || (isSingle && values.length > 1)) {
      return wrongClaim(`A publisher of ${preset} needs ${claim}=VALUE, with ${expected}.`)
    }
  }
  for (const [claim, usual] of Object.entries(usualClaims[preset])) {
    const strange = [...(allowed.get(claim) ?? [])].find((value) => !usual.includes(value))
    if (strange !== undefined) {
      return wrongClaim(
        `A publisher of ${preset} may allow ${claim} ${usual.join(', ')}: outsiders can start other jobs.`,
      )
    }
  }
  return undefined
}

function refsNeeded(): Refusal {
  return refuse(
    'bad_request',
    'A publisher that writes needs the refs that its jobs may change, such as main. For every ref, name refs/**.',
    { path: 'refs' },
  )
}

function wrongClaim(detail: string): Refusal {
  return refuse('bad_request', detail, { path: 'claims' })
}

function noIssuer(): Refusal {
  return refuse('bad_request', 'A publisher of other needs the issuer of its id tokens.', {
    path: 'issuer',
  })
}

function presetNeeded(issuer: string): Refusal {
  return refuse(
    'bad_request',
    `The subject of an id token of ${issuer} is a name, which can be given to another project. Use the preset github or gitlab, which compare ids.`,
    { path: 'preset' },
  )
}

/** The changes by which a rule becomes another; none where it is so already. */
export async function changePublisher(
  { tables, now }: Pick<Work, 'tables' | 'now'>,
  repository: RepositoryRow,
  {
    place: { row, account },
    wish,
  }: { readonly place: PublisherPlace; readonly wish: PublisherWish },
): Promise<Change[] | Refusal> {
  const after = changedPublisherRow(row, wish)
  const wrong = checkPublisher(after)
  if (wrong !== undefined) return wrong
  if (JSON.stringify(after) === JSON.stringify(row)) return []
  const narrows = publisherNarrows(ruleOf(row, repository.path), ruleOf(after, repository.path))
  const role = { account, before: row.contents, after: after.contents }
  return [
    { thing: 'publisher', before: row, after, repository, account },
    ...(role.before === role.after ? [] : [collaborators.change(repository, role)]),
    ...(narrows ? await revokedTokens(tables, row, now) : []),
  ]
}

/** The publishers of these repositories, by the uid of the repository. */
export async function storedPublishers(
  tables: Reading,
  uids: readonly RepositoryUid[],
): Promise<ReadonlyMap<string, readonly PublisherPlace[]>> {
  const places: PublisherPlace[] = []
  for (const some of chunked(uids)) {
    const rows = await tables
      .selectFrom('trusted_publishers')
      .selectAll()
      .where('repository_uid', 'in', some)
      .execute()
    const accounts = await tables
      .selectFrom('accounts')
      .innerJoin('trusted_publishers', 'trusted_publishers.account_id', 'accounts.id')
      .selectAll('accounts')
      .where('repository_uid', 'in', some)
      .execute()
    const byId = new Map(accounts.map((account) => [account.id, account]))
    for (const row of rows) {
      const account = byId.get(row.account_id)
      if (account !== undefined) places.push({ row, account })
    }
  }
  return Map.groupBy(places, ({ row }) => row.repository_uid)
}
