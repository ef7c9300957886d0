/** Takes back what several reports brought, in one transaction that has nothing but the writing to do. */

import {
  asHubTokenId,
  type Clock,
  type HubTokenId,
  type HubTokenOrigin,
  hubTokenOrigins,
  type UnixSeconds,
} from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/limits/cache'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import { isRevokedBy, type Revocable, type RevocationTarget } from '@latchkey/token'
import type { RevokedByReport } from '../../operations/admin-call.ts'
import type { Store } from '../../stores/store.ts'
import type { Change } from '../../tables/change.ts'
import {
  chunked,
  type OwnedHubTokenRow,
  ownedHubTokens,
  revokeOwned,
} from '../../tables/columns.ts'
import { liveTokensOfFamilies } from '../../tables/device-tokens.ts'
import type { Directory, Reading } from '../../tables/directory.ts'
import { findCutOffs } from './find-cut-offs.ts'
import type { VerifiedReport } from './verify-report.ts'

/** With more, every storage token of the hub token until now ends; the hub token itself stays. */
const maxOfOneHubToken = 20

/** As long as cut-offs are kept, and a little more. */
const rememberedSeconds = 26 * 3600
const maxRemembered = 10_000

interface CutAlready {
  readonly count: number
  readonly since: UnixSeconds
}

/** Chooses the cut-offs for storage tokens: each by its id, or all of a hub token where there are many. */
interface Collapse {
  choose(tokens: readonly Revocable[], now: UnixSeconds): readonly RevocationTarget[]
  /** Called when they are written. */
  remember(tokens: readonly Revocable[], now: UnixSeconds): void
}

/** Without it, the owner of one hub token could fill the list with thousands of tokens, one report after the other. */
function collapse(): Collapse {
  const cutAlready = new GrowingCache<HubTokenId, CutAlready>({ most: maxRemembered })
  const cutBefore = (id: HubTokenId, now: UnixSeconds): CutAlready => {
    const cut = cutAlready.get(id)
    const isRecent = cut !== undefined && now - cut.since <= rememberedSeconds
    return isRecent ? cut : { count: 0, since: now }
  }
  return {
    choose: (tokens, now) =>
      Array.from(byHubToken(tokens)).flatMap(([id, own]): readonly RevocationTarget[] => {
        const isMany = cutBefore(id, now).count + own.length > maxOfOneHubToken
        if (isMany) return [{ kind: 'hub-token', id }]
        return own.map(({ tokenId }) => ({ kind: 'token', id: tokenId }))
      }),
    remember(tokens, now) {
      for (const [id, own] of byHubToken(tokens)) {
        const { count, since } = cutBefore(id, now)
        cutAlready.set(id, { count: count + own.length, since })
      }
    },
  }
}

function byHubToken(tokens: readonly Revocable[]): Map<HubTokenId, Revocable[]> {
  return Map.groupBy(tokens, ({ hubToken }) => asHubTokenId(hubToken))
}

export interface Post extends VerifiedReport {
  readonly requestId: string
}

export interface Revoking {
  readonly directory: Directory
  readonly readBeside: Store['readBeside']
  readonly clock: Clock
  /** Only device logins are ended then. */
  readonly isOwnOnly?: boolean
  /** Called after the transaction, if it revoked anything. */
  readonly onRevoked?: (revoked: RevokedByReport) => void
}

export type RevokeReported = (posts: readonly Post[]) => Promise<void>

/** There is a transaction also where nothing is alive: a database that is busy or broken delays every report alike. */
export function reportedRevoker({
  directory,
  readBeside,
  clock,
  isOwnOnly = false,
  onRevoked,
}: Revoking): RevokeReported {
  const { choose, remember } = collapse()
  const origins: readonly HubTokenOrigin[] = isOwnOnly ? ['device'] : hubTokenOrigins
  return async (all) => {
    const posts = isOwnOnly ? all.map((post) => ({ ...post, tokens: [] })) : all
    const alive = await aliveAmong(posts, readBeside)
    const ids = await readBeside((tables) => findLiveHubTokens(tables, posts, origins))
    const families = await readBeside((tables) => findFamilies(tables, { posts, ids }))
    const tokens = alive.filter(({ hubToken }) => !ids.includes(asHubTokenId(hubToken)))
    const now = clock()
    // An entry has room for one: that of the first report that brought something.
    const requestId = posts.find(bringsSomething)?.requestId
    const cuts = choose(tokens, now)
    let hubTokens: readonly HubTokenId[] = []
    await directory.change(async ({ tables, putAs }) => {
      const owned = await findOwned(tables, ids)
      const ofDevices = await liveTokensOfFamilies(tables, families)
      const all = [...new Map([...owned, ...ofDevices].map((one) => [one.id, one])).values()]
      const revoked = all.map((one) => revokeOwned(one, now))
      const cutOff: readonly Change[] = cuts.length === 0 ? [] : [{ thing: 'cut-off', cuts }]
      await putAs({ verb: 'revoke', requestId })([...revoked, ...cutOff])
      hubTokens = all.map(({ id }) => id)
    })
    remember(tokens, now)
    const storageTokens = tokens.map(({ tokenId }) => tokenId)
    if (hubTokens.length + storageTokens.length === 0) return
    const requestIds = posts.filter(bringsSomething).map((post) => post.requestId)
    onRevoked?.({ hubTokens, storageTokens, requestIds })
  }
}

function bringsSomething(report: VerifiedReport): boolean {
  const { tokens, hubTokenHashes, refreshTokenHashes } = report
  return tokens.length + hubTokenHashes.length + refreshTokenHashes.length > 0
}

/** The devices of reported refresh tokens, and of reported hub tokens: a device ends as a whole. */
async function findFamilies(
  tables: Reading,
  { posts, ids }: { readonly posts: readonly Post[]; readonly ids: readonly HubTokenId[] },
): Promise<readonly string[]> {
  const hashes = [...new Set(posts.flatMap(({ refreshTokenHashes }) => refreshTokenHashes))]
  const rows = tables.selectFrom('refresh_tokens').select('family_id')
  const found = new Set<string>()
  for (const some of chunked(hashes)) {
    const reported = await rows.where('secret_hash', 'in', some).execute()
    for (const { family_id } of reported) found.add(family_id)
  }
  for (const some of chunked(ids)) {
    const reported = await rows.where('hub_token_id', 'in', some).execute()
    for (const { family_id } of reported) found.add(family_id)
  }
  return [...found]
}

/** Each once, however often it was reported, and none that a cut-off has ended already. */
async function aliveAmong(
  posts: readonly Post[],
  readBeside: Store['readBeside'],
): Promise<readonly Revocable[]> {
  const all = posts.flatMap(({ tokens }) => tokens)
  const tokens = [...new Map(all.map((token) => [token.tokenId, token])).values()]
  const list = await readBeside((tables) => findCutOffs(tables, tokens))
  const alive: Revocable[] = []
  for (const [index, token] of tokens.entries()) {
    await yieldInLoop(index)
    if (!isRevokedBy(token, list)) alive.push(token)
  }
  return alive
}

/** Also those that have expired or whose account is disabled: both could be undone. */
async function findLiveHubTokens(
  tables: Reading,
  posts: readonly Post[],
  origins: readonly HubTokenOrigin[],
): Promise<readonly HubTokenId[]> {
  const hashes = new Set(posts.flatMap(({ hubTokenHashes }) => hubTokenHashes))
  const found: HubTokenId[] = []
  for (const some of chunked([...hashes])) {
    const rows = await tables
      .selectFrom('hub_tokens')
      .select('id')
      .where('secret_hash', 'in', some)
      .where('origin', 'in', origins)
      .where('revoked_at', 'is', null)
      .execute()
    found.push(...rows.map(({ id }) => id))
  }
  return found
}

/** Read again in the transaction that changes them. */
async function findOwned(
  tables: Reading,
  ids: readonly HubTokenId[],
): Promise<readonly OwnedHubTokenRow[]> {
  if (ids.length === 0) return []
  return ownedHubTokens(tables)
    .where('hub_tokens.id', 'in', ids)
    .where('revoked_at', 'is', null)
    .execute()
}
