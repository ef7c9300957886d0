/** Makes the journal's image of a row: everything but secrets, in the words of the admin API. */

import { formatTime, type UnixSeconds } from '@latchkey/protocol'
import type { CommitChange, JournaledChange } from '../tables/change.ts'
import type {
  AccountRow,
  CollaboratorRow,
  GroupMemberRow,
  HubTokenRow,
  IdentityRow,
  KeyRow,
  MemberRow,
  NamespaceRow,
  NewRefRow,
  PrefixRow,
  PublisherRow,
  RepositoryRow,
  TeamGroupRow,
  TeamMemberRow,
  TeamRoleRow,
  TeamRow,
} from '../tables/rows.ts'

export type Image = Readonly<Record<string, unknown>>

export interface Images {
  readonly before?: Image
  readonly after?: Image
}

/** For a changed row only the differences, and its name if the entry has none. */
export function imagesOf(change: JournaledChange): Images {
  switch (change.thing) {
    case 'account':
      return pair(change, accountImage)
    case 'namespace':
      return pair(change, namespaceImage)
    case 'member':
    case 'collaborator':
      return pair(change, roleImage)
    // The entry has no column for a team, so each image names it.
    case 'team':
      return pair(change, teamImage, 'id', 'name')
    case 'team-member':
      return pair(change, (row) => teamMemberImage(row, change.team), 'team', 'teamId')
    case 'team-group':
      return pair(change, (row) => teamGroupImage(row, change.team))
    case 'group-member':
      return pair(change, (row) => groupMemberImage(row, change.team), ...groupMemberKey)
    case 'team-role':
      return pair(change, (row) => teamRoleImage(row, change.team), 'team', 'teamId')
    case 'repository':
      return pair(change, repositoryImage)
    case 'publisher':
      return pair(change, publisherImage, 'name')
    case 'ref':
      return pair(change, refImage)
    case 'commit':
      return { after: commitImage(change) }
    case 'hub-token':
      // The names of most other things are beside the ids of the entry.
      return pair(change, hubTokenImage, 'name')
    case 'identity':
      return pair(change, identityImage)
    case 'key':
      return pair(change, keyImage, 'kid')
    case 'prefix':
      return pair(change, prefixImage)
    case 'forge':
      return pair(change, ({ place, id }) => ({ place, id }), 'place')
    case 'cut-off':
      return { after: { cuts: change.cuts, ...(change.lost && { lost: change.lost }) } }
    case 'hub':
      return {}
  }
}

function pair<Row>(
  { before, after }: { readonly before?: Row | undefined; readonly after?: Row | undefined },
  imageOf: (row: Row) => Image,
  ...alwaysIncluded: readonly string[]
): Images {
  if (before === undefined) return after === undefined ? {} : { after: imageOf(after) }
  if (after === undefined) return { before: imageOf(before) }
  const [was, is] = [imageOf(before), imageOf(after)]
  const names = Object.keys({ ...was, ...is })
  const columns = names.filter(
    (name) =>
      alwaysIncluded.includes(name) || JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  )
  return { before: pick(was, columns), after: pick(is, columns) }
}

function pick(image: Image, names: readonly string[]): Image {
  return Object.fromEntries(names.map((name) => [name, image[name] ?? null]))
}

function accountImage(row: AccountRow): Image {
  const { name, kind, administrator, disabled, origin, created_at } = row
  return {
    name,
    kind,
    administrator: administrator === 1,
    disabled: disabled === 1,
    origin,
    createdAt: time(created_at),
  }
}

function namespaceImage({ name, storage, quota_bytes, created_at }: NamespaceRow): Image {
  return { name, storage, quotaBytes: quota_bytes, createdAt: time(created_at) }
}

function roleImage({ role }: MemberRow | CollaboratorRow): Image {
  return { role }
}

function teamImage({ id, name, role, created_at }: TeamRow): Image {
  return { id, name, role, createdAt: time(created_at) }
}

function teamMemberImage({ team_id, until }: TeamMemberRow, { name }: TeamRow): Image {
  return { team: name, teamId: team_id, until: time(until) }
}

function teamGroupImage(
  { team_id, provider, group_name }: TeamGroupRow | GroupMemberRow,
  { name }: Pick<TeamRow, 'name'>,
): Image {
  return { team: name, teamId: team_id, provider, group: group_name }
}

const groupMemberKey = ['team', 'teamId', 'provider', 'group', 'issuer', 'subject']

function groupMemberImage(row: GroupMemberRow, team: Pick<TeamRow, 'name'>): Image {
  const { issuer, subject, until } = row
  return { ...teamGroupImage(row, team), issuer, subject, until: time(until) }
}

function teamRoleImage({ team_id, role }: TeamRoleRow, { name }: TeamRow): Image {
  return { team: name, teamId: team_id, role }
}

function repositoryImage(row: RepositoryRow): Image {
  return {
    path: row.path,
    visibility: row.visibility,
    defaultBranch: row.default_branch,
    refRules: JSON.parse(row.ref_rules),
    epoch: row.epoch,
    storage: row.storage,
    movesTo: row.moves_to,
    movesNumber: row.moves_number,
    quotaBytes: row.quota_bytes,
    createdAt: time(row.created_at),
  }
}

function publisherImage(row: PublisherRow): Image {
  return {
    name: row.name,
    preset: row.preset,
    issuer: row.issuer,
    claims: JSON.parse(row.claims),
    contents: row.contents,
    refs: row.refs === null ? null : JSON.parse(row.refs),
    maxSeconds: row.max_seconds,
    label: row.label,
    createdAt: time(row.created_at),
  }
}

function refImage(row: NewRefRow): Image {
  return {
    name: row.name,
    commit: row.commit_hash,
    from: row.from_name ?? null,
    fromUid: row.from_uid ?? null,
    forkedAt: time(row.forked_at),
    forkedNumber: row.forked_number ?? null,
    proposerId: row.proposer_id ?? null,
    createdAt: time(row.created_at),
  }
}

function commitImage({ commit, holders, now, number }: CommitChange): Image {
  return {
    hash: commit.hash,
    recordedAt: time(commit.recorded_at),
    holders: holders.map(({ uid, name }) => ({
      uid,
      ref: name,
      since: time(now),
      recordedNumber: number,
    })),
  }
}

/** Never the hash of the secret. */
function hubTokenImage(row: HubTokenRow): Image {
  return {
    name: row.name,
    kind: row.kind,
    origin: row.origin,
    hint: row.hint,
    grants: JSON.parse(row.grants),
    adminScopes: row.admin_scopes === null ? null : JSON.parse(row.admin_scopes),
    namespaces: row.namespaces === null ? null : JSON.parse(row.namespaces),
    storage: row.storage,
    createdAt: time(row.created_at),
    expiresAt: time(row.expires_at),
    revokedAt: time(row.revoked_at),
  }
}

function identityImage({ issuer, subject, provider, created_at }: IdentityRow): Image {
  return { issuer, subject, provider, createdAt: time(created_at) }
}

/** Never the key, sealed as it is. */
function keyImage(row: KeyRow): Image {
  return {
    kid: row.kid,
    purpose: row.purpose,
    alg: row.alg,
    createdAt: time(row.created_at),
    activatesAt: time(row.activates_at),
    activatedAt: time(row.activated_at),
    retiredAt: time(row.retired_at),
    maxLifetime: row.max_lifetime,
  }
}

function prefixImage({ prefix, first_used_at }: PrefixRow): Image {
  return { prefix, firstUsedAt: time(first_used_at) }
}

function time(moment: number | null | undefined): string | null {
  return moment == null ? null : formatTime(moment as UnixSeconds)
}
