import type { AccountId, JournalNumber } from '@latchkey/protocol'
import { forEver, maxLeewaySeconds, maxLifeSeconds, type RevocationTarget } from '@latchkey/token'
import { sql } from 'kysely'
import { grantsNarrow } from '../permission/compare-reach.ts'
import { roleToWrite } from '../permission/reach.ts'
import type { CommitChange, JournaledChange } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Reading, Tables } from '../tables/directory.ts'
import type { HubTokenRow, RepositoryRow } from '../tables/rows.ts'
import type { Beginning } from './append-entries.ts'
import {
  boundCutOffs,
  boundOfAccount,
  boundOfNamespace,
  type CutOff,
  namespacesOfPublishers,
  writeCutOffRows,
} from './bound-cut-offs.ts'
import { narrows } from './entry-of.ts'
import { type TeamTargets, teamTargets } from './team-targets.ts'

export async function writeCutOffs(
  tables: Tables,
  changes: readonly JournaledChange[],
  beginning: Beginning,
): Promise<void> {
  const { number } = beginning
  const areLimited = limitsByRefs(tables)
  const refsOf = (change: CommitChange) => refsOfCommit(tables, change, areLimited)
  const teams = teamTargets(tables)
  const all = new Map<string, CutOff>()
  for (const change of changes) {
    const place = namespaceOf(change)
    for (const cut of await cutOffsOf(change, beginning, { refsOf, teams })) {
      const namespace = cut.kind === 'account+namespace' ? afterSlash(cut.id) : place
      all.set(`${cut.kind}:${cut.id}`, { ...cut, namespace })
    }
  }
  if (all.size === 0) return
  const owners = new Set<AccountId>()
  for (const change of changes) {
    if (change.thing !== 'hub-token') continue
    if (all.has(`hub-token:${change.before?.id}`)) owners.add(change.account.id)
  }
  const ofPublishers = await namespacesOfPublishers(tables, [...owners])
  for (const change of changes) {
    if (change.thing !== 'hub-token') continue
    const namespace = ofPublishers.get(change.account.id)
    const key = `hub-token:${change.before?.id}`
    const cut = all.get(key)
    if (cut !== undefined && namespace !== undefined) all.set(key, { ...cut, namespace })
  }
  for (const some of chunked([...all.values()])) await writeCutOffRows(tables, some, number)
  for (const id of owners) {
    await boundOfAccount(tables, id, { number, namespace: ofPublishers.get(id) ?? null })
  }
  const names = new Set([...all.values()].map(({ namespace }) => namespace))
  for (const name of names) if (name !== null) await boundOfNamespace(tables, name, number)
  await boundCutOffs(tables, number)
}

/** Where the tokens are used that the change ends; null where that can be in several. */
function namespaceOf(change: JournaledChange): string | null {
  switch (change.thing) {
    case 'member':
    case 'team':
    case 'team-member':
    case 'team-group':
    case 'group-member':
      return change.namespace.name
    case 'collaborator':
    case 'publisher':
    case 'team-role':
    case 'ref':
    case 'commit':
      return namespaceIn(change.repository)
    case 'repository': {
      const row = change.before ?? change.after
      return row === undefined ? null : namespaceIn(row)
    }
    default:
      return null
  }
}

/** The uids that such tokens name; none where every hub token and every role that sufficed before suffices still. */
async function refsOfCommit(
  tables: Reading,
  { repository, commit, holders }: CommitChange,
  areLimited: AreLimited,
): Promise<readonly string[]> {
  const rules = JSON.parse(repository.ref_rules)
  const isClosed = holders.some(({ name }) => roleToWrite(rules, name) === 'admin')
  if (!isClosed && !(await areLimited())) return []
  const tags = await tables
    .selectFrom('refs')
    .select('uid')
    .where('repository_uid', '=', repository.uid)
    .where('commit_hash', '=', commit.hash)
    .where('name', 'like', 'refs/tags/%')
    .execute()
  return [commit.uid, ...tags.map(({ uid }) => uid)]
}

/** Whether there is a hub token that may use some refs and not others. */
type AreLimited = () => Promise<boolean>

/** Looked up once for all changes of a transaction. */
function limitsByRefs(tables: Reading): AreLimited {
  let found: Promise<boolean> | undefined
  return () => {
    found ??= findLimited(tables)
    return found
  }
}

async function findLimited(tables: Reading): Promise<boolean> {
  const limited = await tables
    .selectFrom('hub_tokens')
    .select('id')
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`cast(grants as text) like '%"refs"%'`)
    .limit(1)
    .executeTakeFirst()
  return limited !== undefined
}

/** The longest lifetime that can be configured, and the largest leeway of a gate. */
const maxTokenMs = (maxLifeSeconds + maxLeewaySeconds) * 1000

type Cut = Omit<CutOff, 'namespace'>

interface Looked {
  readonly refsOf: (change: CommitChange) => Promise<readonly string[]>
  readonly teams: TeamTargets
}

/** All of a transaction have its first number: no token was decided between its entries. */
async function cutOffsOf(
  change: JournaledChange,
  { number, milliseconds }: Beginning,
  { refsOf, teams }: Looked,
): Promise<readonly Cut[]> {
  const at = (places: readonly RevocationTarget[], below = number) =>
    places.map(({ kind, id }) => ({ kind, id, number: below }))
  if (!narrows(change)) return []
  switch (change.thing) {
    case 'account': {
      const { before, after } = change
      // Storage tokens do not come from the right to administer.
      const isClosed = before !== undefined && after?.disabled !== 0
      return isClosed ? at([{ kind: 'account', id: before.id }]) : []
    }
    case 'member': {
      const { account, namespace } = change
      return at([{ kind: 'account+namespace', id: `${account.id}/${namespace.name}` }])
    }
    case 'collaborator': {
      const { account, repository } = change
      return at([{ kind: 'account+repository', id: `${account.id}/${repository.uid}` }])
    }
    case 'publisher':
      // Its account goes with it. The hub tokens of a narrower rule are revoked in changes of their own.
      return change.after === undefined ? at([{ kind: 'account', id: change.account.id }]) : []
    case 'team':
      return at(await teams.ofTeam(change.before, change.namespace))
    case 'team-member':
      return at(await teams.ofMember(change))
    case 'team-group':
      return at(await teams.ofGroup(change))
    case 'group-member': {
      const hasEnded = (change.before?.until ?? 0) * 1000 < milliseconds - maxTokenMs
      return hasEnded || change.staysInTeam ? [] : at(await teams.ofMember(change))
    }
    case 'team-role':
      return at(await teams.ofRole(change))
    case 'repository':
      return at(idsOf('repository', change.before?.uid))
    case 'ref':
      return at(idsOf('ref', change.before?.uid))
    case 'commit':
      return at((await refsOf(change)).map((id) => ({ kind: 'ref', id })))
    case 'hub-token':
      return ofHubToken(change, at, milliseconds)
    case 'key': {
      // Nothing is signed with a key that was never active.
      const isUsed = change.before?.activated_at !== null
      return isUsed ? at(idsOf('key', change.before?.kid), forEver) : []
    }
    case 'cut-off':
      return change.cuts.flatMap((cut) => at([cut], isFinal(cut) ? forEver : number))
    case 'identity':
      return at(await teams.ofIdentity(change.before))
    // A namespace is empty when it goes.
    case 'namespace':
    case 'prefix':
    case 'forge':
    case 'hub':
      return []
  }
}

/** A deleted hub token or key does not come back. */
function isFinal({ kind }: RevocationTarget): boolean {
  return kind === 'token' || kind === 'key'
}

/** Its name: `acme` of `models/acme/bert`. */
function namespaceIn({ path }: Pick<RepositoryRow, 'path'>): string | null {
  return path.split('/')[1] ?? null
}

function afterSlash(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}

function idsOf(
  kind: RevocationTarget['kind'],
  id: string | undefined,
): readonly RevocationTarget[] {
  return id === undefined ? [] : [{ kind, id }]
}

interface HubTokenRows {
  readonly before?: HubTokenRow | undefined
  readonly after?: HubTokenRow | undefined
}

function ofHubToken(
  { before, after }: HubTokenRows,
  at: (places: readonly RevocationTarget[], below?: JournalNumber) => readonly Cut[],
  now: number,
): readonly Cut[] {
  if (before === undefined || asksForNoTokens.includes(before.kind)) return []
  if (endedLongAgo(before, now)) return []
  const place = idsOf('hub-token', before.id)
  if (after === undefined || after.revoked_at !== null) return at(place, forEver)
  return carriesLess(before, after) || endsSooner(before, after, now) ? at(place) : []
}

/** No storage token of it can be alive. */
function endedLongAgo({ revoked_at, expires_at }: HubTokenRow, now: number): boolean {
  const never = Number.POSITIVE_INFINITY
  return Math.min(revoked_at ?? never, expires_at ?? never) * 1000 < now - maxTokenMs
}

const asksForNoTokens: readonly string[] = ['admin', 'storage', 'forge']

function carriesLess(before: HubTokenRow, after: HubTokenRow): boolean {
  return grantsNarrow(JSON.parse(before.grants), JSON.parse(after.grants))
}

/** An end that lies further ahead than any storage token lives ends none of them. */
function endsSooner(before: HubTokenRow, after: HubTokenRow, now: number): boolean {
  const never = Number.POSITIVE_INFINITY
  const end = (after.expires_at ?? never) * 1000
  return end < (before.expires_at ?? never) * 1000 && end < now + maxTokenMs
}
