/** The exchange of an id token for a hub token (RFC 8693): `POST /oauth/token` from a job of a trusted publisher. */

import { hash } from 'node:crypto'
import {
  type HubTokenGrant,
  parseRepoRef,
  type RepoRef,
  type Secret,
  type UnixSeconds,
} from '@latchkey/protocol'
import { type Limiter, limiter, type SharedCounts } from '@latchkey/service/limits/rate-limiter'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'
import type { Stopwatch } from '@latchkey/service/machine/time'
import {
  type OAuthAnswer,
  type OAuthError,
  oauthAnswer,
  oauthError,
} from '../oauth/oauth-answer.ts'
import { type Grant, missing } from '../oauth/serve-token.ts'
import {
  claimsIn,
  compareClaims,
  firstRule,
  type IdTokenClaims,
  ruleOf,
} from '../permission/trusted-publisher.ts'
import type { BookkeepingTransaction, Directory, Reading, Tables } from '../tables/directory.ts'
import type { AccountRow, PublisherRow, RepositoryRow } from '../tables/rows.ts'
import { makeHubTokenRow, prefixChange } from '../verbs/hub-token-rows.ts'
import { findRepositoryRow } from '../verbs/repository-rows.ts'
import { exchangeLimit } from './exchange-limits.ts'
import { type IssuerKeysDeps, issuerKeys } from './issuer-keys.ts'
import type { IssuerSettings } from './issuer-settings.ts'
import { noteRefusal } from './refused-exchanges.ts'
import {
  type Issuer,
  type JudgedIdToken,
  judgeIdToken,
  type SignedIdToken,
  type UnsignedReason,
  verifySignature,
} from './verify-id-token.ts'

export const exchangeGrantType = 'urn:ietf:params:oauth:grant-type:token-exchange'
const idTokenTypes = [
  'urn:ietf:params:oauth:token-type:id_token',
  'urn:ietf:params:oauth:token-type:jwt',
]
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

/** Each process of a job exchanges its id token again. */
export const maxExchangesOfIdToken = 200
export const notedRefusalsPerMinute = 10

export interface ExchangeDeps {
  readonly directory: Directory
  readonly issuers: ReadonlyMap<string, Issuer>
  readonly publicUrl: string
  readonly randomBytes: RandomBytes
  readonly hubTokenPrefix: string
  readonly stopwatch: Stopwatch
  readonly counts?: SharedCounts | undefined
}

export interface ExchangeSurroundings extends Omit<ExchangeDeps, 'issuers'>, IssuerKeysDeps {}

/** Without a configured issuer, the hub does not know the grant. */
export function exchangeGrants(
  issuers: readonly IssuerSettings[],
  around: ExchangeSurroundings,
): ReadonlyMap<string, Grant> {
  if (issuers.length === 0) return new Map()
  const opened = issuers.map((settings) => {
    return [settings.issuer, { settings, keys: issuerKeys(settings, around) }] as const
  })
  return new Map([[exchangeGrantType, exchangeGrant({ ...around, issuers: new Map(opened) })]])
}

function exchangeGrant(deps: ExchangeDeps): Grant {
  const { directory, issuers, publicUrl, stopwatch, counts } = deps
  const waitFor = exchangeLimit(stopwatch, counts)
  const refusals = limiter(notedRefusalsPerMinute, stopwatch)
  return async ({ parameters, now, requestId }) => {
    const type = parameters.get('subject_token_type')
    if (type === undefined) return missing('subject_token_type')
    const requested = parameters.get('requested_token_type') ?? accessTokenType
    if (!idTokenTypes.includes(type) || requested !== accessTokenType) return oauthError(otherType)
    const text = parameters.get('subject_token')
    if (text === undefined) return missing('subject_token')
    const resource = parameters.get('resource')
    if (resource === undefined) return missing('resource')
    const repo = repositoryOf(resource)
    if (repo === undefined) return oauthError(noTarget)

    const signed = await verifySignature(text, issuers)
    if (typeof signed === 'string') return oauthError(unsigned[signed])
    const judged = judgeIdToken(signed, { publicUrl, now })
    const exchange = { repo, signed, judged, now }
    const found = await directory.readBeside((tables) => findRules(tables, exchange))
    const { first, repository } = found
    if ('reason' in judged || first === undefined || repository === undefined) {
      await writeRefusal(deps, { ...exchange, found, limit: refusals })
      return oauthError(notAdmitted)
    }
    const waitMs = waitFor(first, repository)
    if (waitMs > 0) return tooMany(waitMs)
    return giveToken(deps, { ...exchange, judged, requestId, limit: refusals })
  }
}

/** As clients name it: a model without its type, and the type before the others. */
function repositoryOf(resource: string): RepoRef | undefined {
  const isModel = /^[^/]+\/[^/]+$/.test(resource)
  return parseRepoRef(isModel ? `models/${resource}` : resource)
}

interface Exchange {
  readonly repo: RepoRef
  readonly signed: SignedIdToken
  readonly judged: JudgedIdToken | { readonly reason: string }
  readonly now: UnixSeconds
}

interface FoundRules {
  readonly repository: RepositoryRow | undefined
  /** The rules of the project of the id token, whatever else it says. */
  readonly ofProject: readonly PublisherRow[]
  /** The one of all that admit the id token. */
  readonly first: PublisherRow | undefined
}

async function findRules(
  tables: Reading,
  { repo, signed: { claims, settings } }: Pick<Exchange, 'repo' | 'signed'>,
): Promise<FoundRules> {
  const repository = await findRepositoryRow(tables, repo)
  if (repository === undefined) return { repository, ofProject: [], first: undefined }
  const rows = await tables
    .selectFrom('trusted_publishers')
    .selectAll()
    .where('repository_uid', '=', repository.uid)
    .where('issuer', '=', settings.issuer)
    .where('preset', '=', settings.preset)
    .execute()
  const ofProject = rows.filter((row) => compare(row, claims).isOfProject)
  const admitting = ofProject.filter((row) => compare(row, claims).mismatches.length === 0)
  return { repository, ofProject, first: firstRule(admitting) }
}

function compare(row: PublisherRow, claims: IdTokenClaims) {
  return compareClaims({ preset: row.preset, claims: claimsIn(row) }, claims)
}

interface Refused extends Exchange {
  readonly found: FoundRules
  readonly limit: Limiter
}

/** Only the owners learn the reason, and only of id tokens of a project that they named. */
async function writeRefusal(
  { directory }: Pick<ExchangeDeps, 'directory'>,
  { found: { repository, ofProject }, signed: { claims }, judged, now, limit }: Refused,
): Promise<void> {
  const [row] = ofProject
  if (row === undefined || repository === undefined || limit.take(repository.uid) > 0) return
  const wrong = compare(row, claims).mismatches.map(({ claim }) => claim)
  const reason =
    'reason' in judged ? judged.reason : `the rule does not allow its ${wrong.join(', ')}`
  await directory.note('refused exchange', ({ tables }) =>
    noteRefusal(tables, { row, claims, reason, now }),
  )
}

interface Giving extends Exchange {
  readonly judged: JudgedIdToken
  readonly requestId: string
  readonly limit: Limiter
}

interface Given {
  readonly token: Secret<'hub-token'>
  readonly account: AccountRow
  readonly hubToken: string
  readonly seconds: number
  readonly contents: string
}

/** The rules are read again: one that was narrowed meanwhile gives nothing that its change would not have ended. */
async function giveToken(deps: ExchangeDeps, giving: Giving): Promise<OAuthAnswer> {
  const result = await deps.directory.note('id token use', (transaction) =>
    giveIn(transaction, deps, giving),
  )
  if (result === 'used too often') {
    const found = await deps.directory.readBeside((tables) => findRules(tables, giving))
    const judged = { reason: `it was exchanged ${maxExchangesOfIdToken} times` }
    await writeRefusal(deps, { ...giving, judged, found })
  }
  if (typeof result === 'string') return oauthError(notAdmitted)
  const { token, account, hubToken, seconds, contents } = result as Given
  return oauthAnswer(
    {
      access_token: token.reveal(),
      issued_token_type: accessTokenType,
      token_type: 'bearer',
      expires_in: seconds,
      scope: contents,
    },
    { subject: account.id, account: account.name, hubToken },
  )
}

async function giveIn(
  { tables, putAs }: BookkeepingTransaction,
  { randomBytes, hubTokenPrefix }: ExchangeDeps,
  { repo, signed, judged, now, requestId }: Giving,
): Promise<Given | 'no rule' | 'used too often'> {
  const { first, repository } = await findRules(tables, { repo, signed })
  if (first === undefined || repository === undefined) return 'no rule'
  const account = await tables
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', first.account_id)
    .where('disabled', '=', 0)
    .executeTakeFirst()
  if (account === undefined) return 'no rule'
  if (!(await countUse(tables, { signed, judged, now }))) return 'used too often'
  const { grant, maxSeconds } = ruleOf(first, repository.path)
  const work = { tables, now, randomBytes, hubTokenPrefix }
  const grants: readonly HubTokenGrant[] = [grant]
  const { row, token } = makeHubTokenRow(work, account, {
    name: `job-${newId<string & RepositoryRow['uid']>(randomBytes)}`,
    kind: 'fine-grained',
    origin: 'ci',
    grants,
    expiresAt: { at: now + maxSeconds },
  })
  const actor = { accountId: account.id, accountName: account.name, hubTokenId: row.id }
  const put = putAs({ verb: exchangeVerb, actor, requestId })
  await put([...(await prefixChange(work)), { thing: 'hub-token', after: row, account }])
  return { token, account, hubToken: row.id, seconds: maxSeconds, contents: first.contents }
}

export const exchangeVerb = 'exchange id token'

/** False where it was used too often. Ids of tokens that are too old anyway are deleted on the way. */
async function countUse(
  tables: Tables,
  {
    signed: { settings },
    judged: { jti, issuedAt },
    now,
  }: Pick<Giving, 'signed' | 'judged' | 'now'>,
): Promise<boolean> {
  await tables.deleteFrom('id_token_uses').where('ends_at', '<', now).execute()
  const jti_hash = hash('sha256', jti)
  const { issuer, maxAgeSeconds } = settings
  const counted = await tables
    .insertInto('id_token_uses')
    .values({ issuer, jti_hash, uses: 1, ends_at: issuedAt + maxAgeSeconds + 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['issuer', 'jti_hash'])
        .doUpdateSet((row) => ({ uses: row('id_token_uses.uses', '+', 1) })),
    )
    .returning('uses')
    .executeTakeFirstOrThrow()
  return counted.uses <= maxExchangesOfIdToken
}

const otherType: OAuthError = {
  code: 'invalid_request',
  description: 'This hub exchanges id tokens for access tokens, and no other types.',
}

const noTarget: OAuthError = {
  code: 'invalid_target',
  description:
    'The resource names no repository. Give namespace/name for a model, or datasets/namespace/name or spaces/namespace/name.',
}

const notAdmitted: OAuthError = {
  code: 'invalid_grant',
  description:
    'No trusted publisher of this repository admits this id token. Its owners see why with latchkey publisher refusals.',
}

const unsigned: Readonly<Record<UnsignedReason, OAuthError>> = {
  malformed: {
    code: 'invalid_grant',
    description: 'The subject_token is not an id token. Send the id token of the job.',
  },
  'unknown issuer': {
    code: 'invalid_grant',
    description:
      'This hub takes no id tokens of this issuer. Its operator can add it to trustedPublishers.issuers.',
  },
  'wrong signature': {
    code: 'invalid_grant',
    description: 'No key of the issuer has signed this id token. Ask the platform for a new one.',
  },
  'no keys': {
    code: 'temporarily_unavailable',
    status: 503,
    description: 'The hub cannot get the keys of the issuer now. Try again later.',
    retryAfterSeconds: 10,
  },
}

function tooMany(waitMs: number): OAuthAnswer {
  return oauthError({
    code: 'temporarily_unavailable',
    status: 503,
    description:
      'Too many jobs exchanged id tokens for this repository or its namespace. Try again later.',
    retryAfterSeconds: waitMs / 1000,
  })
}
