/** A change as the journal keeps it: what happened to what, under which ids and names. */

import type { Change, CutOffSubject, Origin } from '../tables/change.ts'
import type { AccountRow, JournalRow, RepositoryRow } from '../tables/rows.ts'
import { detailOf } from './detail-of.ts'
import { imagesOf } from './image-of.ts'
import { narrows } from './narrows.ts'

export type Entry = Omit<JournalRow, 'number' | 'previous' | 'at_milliseconds'>

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
>

export function entryOf(change: Change, { verb, actor, user, requestId }: Origin): Entry {
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

function didOf(change: Change): string {
  if (change.thing === 'hub') return 'opened'
  if (change.thing === 'commit') return 'recorded'
  if (change.thing === 'cut-off') return 'cut off'
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
}

function subjectOf(change: Change): Partial<Subject> {
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
      return { ...ofRepository(change.repository), ...ofAccount(change.account) }
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
    case 'cut-off':
      return ofCutOff(change.about ?? {})
    case 'key':
    case 'prefix':
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

function ofRepository({ uid, path }: RepositoryRow) {
  return { repository_uid: uid, repository: path }
}
