/** A change as the journal keeps it: what happened to what, under which ids and names. */

import { hash } from 'node:crypto'
import { type Role, roleCovers } from '@latchkey/protocol'
import { grantsNarrow, rulesNarrow } from '../permission/compare-reach.ts'
import { publisherNarrows, ruleOf } from '../permission/trusted-publisher.ts'
import type { CutOffSubject, JournaledChange, Origin } from '../tables/change.ts'
import type { AccountRow, HubTokenRow, JournalRow, RepositoryRow, TeamRow } from '../tables/rows.ts'
import { type Image, type Images, imagesOf } from './image-of.ts'

/** A caller may give lists of 250 KB, again and again; the journal keeps every entry. */
const maxDetailLength = 8192
const maxListBytes = 256

/** In a detail that is too long, a long list becomes its length and its digest. */
function detailOf({ before, after }: Images): string {
  const text = JSON.stringify({ before, after })
  if (text.length <= maxDetailLength) return text
  return JSON.stringify({ before: before && shortened(before), after: after && shortened(after) })
}

function shortened(image: Image): Image {
  return Object.fromEntries(Object.entries(image).map(([name, value]) => [name, digested(value)]))
}

function digested(value: unknown): unknown {
  const text = JSON.stringify(value)
  if (!Array.isArray(value) || text.length <= maxListBytes) return value
  return { length: value.length, sha256: hash('sha256', text) }
}

type Entry = Omit<JournalRow, 'number' | 'previous' | 'at_milliseconds'>

type Subject = Pick<
  JournalRow,
  | 'account_id'
  | 'account'
  | 'hub_token_id'
  | 'namespace_id'
  | 'namespace'
  | 'repository_uid'
  | 'repository'
  | 'ref_uid'
  | 'ref'
  | 'storage'
>

export function entryOf(change: JournaledChange, { verb, actor, user, requestId }: Origin): Entry {
  return {
    verb,
    thing: change.thing,
    did: didOf(change),
    actor_account_id: actor?.accountId ?? null,
    actor_account: actor?.accountName ?? null,
    actor_hub_token: actor?.hubTokenId ?? null,
    actor_user: user ?? null,
    request_id: requestId ?? null,
    ...nothing,
    ...subjectOf(change),
    narrows: Number(narrows(change)),
    detail: detailOf(imagesOf(change)),
  }
}

function didOf(change: JournaledChange): string {
  if (change.thing === 'hub') return 'opened'
  if (change.thing === 'commit') return 'recorded'
  if (change.thing === 'cut-off') return 'revoked'
  if (change.before === undefined) return 'created'
  if (change.after === undefined) return 'deleted'
  const isRevoked =
    change.thing === 'hub-token' &&
    change.before.revoked_at === null &&
    change.after.revoked_at !== null
  return isRevoked ? 'revoked' : 'changed'
}

const nothing: Subject = {
  account_id: null,
  account: null,
  hub_token_id: null,
  namespace_id: null,
  namespace: null,
  repository_uid: null,
  repository: null,
  ref_uid: null,
  ref: null,
  storage: null,
}

function subjectOf(change: JournaledChange): Partial<Subject> {
  switch (change.thing) {
    case 'account':
      return ofAccount(rowOf(change))
    case 'namespace':
      return ofNamespace(rowOf(change))
    case 'member':
      return { ...ofNamespace(change.namespace), ...ofAccount(change.account) }
    case 'repository':
      return ofRepository(rowOf(change))
    case 'collaborator':
    case 'publisher':
      return { ...ofRepository(change.repository), ...ofAccount(change.account) }
    case 'team':
      return ofNamespace(change.namespace)
    case 'team-member':
    case 'group-member':
      return { ...ofNamespace(change.namespace), ...ofAccount(change.account) }
    case 'team-group':
      return ofNamespace(change.namespace)
    case 'team-role':
      return ofRepository(change.repository)
    case 'ref': {
      const { uid, name } = rowOf(change)
      return { ...ofRepository(change.repository), ref_uid: uid, ref: name }
    }
    case 'commit': {
      // A storage token for a commit names it by these two, as it names a ref.
      const { uid, hash } = change.commit
      return { ...ofRepository(change.repository), ref_uid: uid, ref: hash }
    }
    case 'hub-token':
      return { ...ofAccount(change.account), hub_token_id: rowOf(change).id }
    case 'identity':
      return ofAccount(change.account)
    case 'cut-off':
      return ofCutOff(change.about ?? {})
    case 'key':
    case 'prefix':
    case 'forge':
    case 'hub':
      return {}
  }
}

function rowOf<Row>({ before, after }: { before?: Row | undefined; after?: Row | undefined }): Row {
  const row = after ?? before
  if (row === undefined) throw new Error('a change needs a row before or after it')
  return row
}

function ofAccount({ id, name }: Pick<AccountRow, 'id' | 'name'>) {
  return { account_id: id, account: name }
}

function ofCutOff({ account, repository, ref }: CutOffSubject): Partial<Subject> {
  return {
    ...(account && ofAccount(account)),
    ...(repository && ofRepository(repository)),
    ...(ref && { ref_uid: ref.uid, ref: ref.name }),
  }
}

function ofNamespace({ id, name }: { readonly id: string; readonly name: string }) {
  return { namespace_id: id, namespace: name }
}

function ofRepository({ uid, path, storage }: RepositoryRow) {
  return { repository_uid: uid, repository: path, storage }
}

export function narrows(change: JournaledChange): boolean {
  // A new holder can close a commit to callers who may not write every branch that holds it.
  if (change.thing === 'commit') return change.created === undefined && change.holders.length > 0
  if (change.thing === 'hub') return false
  if (change.thing === 'cut-off') return true
  if (change.before === undefined) return false
  if (change.after === undefined) return true
  switch (change.thing) {
    case 'account':
      return accountNarrows(change.before, change.after)
    case 'member':
    case 'collaborator':
      return !roleCovers(change.after.role as Role, change.before.role as Role)
    case 'team':
      return teamNarrows(change.before, change.after)
    case 'team-role':
      return !roleCovers(change.after.role as Role, change.before.role as Role)
    case 'team-member':
    case 'group-member':
      return endOf(change.after.until) < endOf(change.before.until)
    case 'repository':
      return repositoryNarrows(change.before, change.after)
    case 'hub-token':
      return hubTokenNarrows(change.before, change.after)
    case 'publisher':
      return publisherNarrows(
        ruleOf(change.before, change.repository.path),
        ruleOf(change.after, change.repository.path),
      )
    case 'namespace':
    case 'team-group':
    case 'ref':
    case 'identity':
    case 'key':
    case 'prefix':
    case 'forge':
      return false
  }
}

function teamNarrows(before: TeamRow, after: TeamRow): boolean {
  return (
    before.role !== null &&
    !roleCovers((after.role ?? undefined) as Role | undefined, before.role as Role)
  )
}

function accountNarrows(before: AccountRow, after: AccountRow): boolean {
  return after.disabled > before.disabled || after.administrator < before.administrator
}

function repositoryNarrows(before: RepositoryRow, after: RepositoryRow): boolean {
  const closes = before.visibility === 'public' && after.visibility === 'private'
  return closes || rulesNarrow(JSON.parse(before.ref_rules), JSON.parse(after.ref_rules))
}

/** Null is never. */
function endOf(moment: number | null): number {
  return moment ?? Number.POSITIVE_INFINITY
}

function hubTokenNarrows(before: HubTokenRow, after: HubTokenRow): boolean {
  return (
    (before.revoked_at === null && after.revoked_at !== null) ||
    endOf(after.expires_at) < endOf(before.expires_at) ||
    grantsNarrow(JSON.parse(before.grants), JSON.parse(after.grants)) ||
    before.admin_scopes !== after.admin_scopes
  )
}
