/** Before a ref is deleted: what other refs and commits on record need of its content becomes their own. */

import type {
  CallerQuestions,
  IssuedStorageToken,
  RefDependents,
} from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  isRefusal,
  type NoCommit,
  type RefName,
  type Refusal,
  type RepoRef,
  type Revision,
  refuse,
} from '@latchkey/protocol'
import type { Repository } from '../git/index.ts'
import type { AskStorage, FileHash } from '../large-files/ask-storage.ts'
import { isNone } from '../large-files/open-revision.ts'
import type { Pointer } from '../words/pointer.ts'
import { findContent } from './find-content.ts'
import { largeFilesOf } from './large-files-in.ts'
import type { SavedContent } from './saved-content.ts'

export interface Saving {
  readonly hub: Pick<CallerQuestions, 'decide' | 'storageToken'>
  readonly storage: AskStorage
  readonly repository: Repository
  readonly repo: RepoRef
  /** Content that was saved before an abort stays saved. */
  readonly signal: AbortSignal
  readonly saved: SavedContent
}

interface Dependent {
  readonly revision: Revision
  readonly commit: CommitHash | NoCommit
  /** Whether it may see some of its content without the ref. */
  readonly mayBeWhole: boolean
}

/** With the rights of the caller. Where they do not suffice, the ref must stay. */
export async function saveDependents(
  saving: Saving,
  ref: RefName,
  dependents: RefDependents,
): Promise<Refusal | undefined> {
  const { repository, signal } = saving
  const { refUid } = dependents
  const saved = saving.saved.of(refUid)
  const deleted = { ref, refUid, foundFiles: new Map<string, FileHash>() }
  const largeFilesIn = largeFilesOf(repository, signal)
  for (const dependent of all(dependents)) {
    const key = keyOf(dependent)
    if (saved.has(key) || isNone(dependent.commit)) continue
    signal.throwIfAborted()
    const unreadable = await refuseUnreadable(saving, dependent)
    if (unreadable !== undefined) return unreadable
    const tree = await repository.treeOf(dependent.commit)
    const files = tree === undefined ? [] : await largeFilesIn(tree)
    const end = files.length === 0 ? 'whole' : await save(saving, { ...dependent, files, deleted })
    if (isRefusal(end)) return end
    if (end === 'whole') saved.add(key)
  }
  return undefined
}

function* all({ commits, refs }: RefDependents): Generator<Dependent> {
  for (const { hash, isHeldElsewhere: mayBeWhole } of commits) {
    yield { revision: { kind: 'commit', hash }, commit: hash, mayBeWhole }
  }
  for (const { name, commit } of refs) {
    yield { revision: { kind: 'ref', name }, commit, mayBeWhole: true }
  }
}

/** A ref that has moved needs other content. */
function keyOf({ revision, commit }: Dependent): string {
  return revision.kind === 'ref' ? `${revision.name} ${commit}` : commit
}

async function refuseUnreadable(
  { hub, repo }: Saving,
  { revision }: Dependent,
): Promise<Refusal | undefined> {
  if (revision.kind !== 'ref') return undefined
  const permitted = await hub.decide({ repo, revision, scope: 'read' })
  if (!isRefusal(permitted)) return undefined
  return cannotBeSaved('a hub token that reads every ref which may need its content')
}

interface Save extends Dependent {
  readonly files: readonly Pointer[]
  readonly deleted: Deleted
}

interface Deleted {
  readonly ref: RefName
  readonly refUid: RefDependents['refUid']
  /** The files that it has, by SHA-256. */
  readonly foundFiles: Map<string, FileHash>
}

/** Content that no token sees was lost before, or is not for this caller. It must not keep a branch from being deleted. */
async function save(
  { hub, storage, repo, signal }: Saving,
  { revision, files, mayBeWhole, deleted }: Save,
): Promise<'whole' | 'partly' | Refusal> {
  const find: AskStorage['find'] = (token, file) => {
    signal.throwIfAborted()
    return storage.find(token, file)
  }
  const { ref, refUid, foundFiles } = deleted
  const own = await hub.storageToken({ repo, revision: { kind: 'ref', name: ref }, scope: 'read' })
  if (isRefusal(own)) return own
  const now = await hub.storageToken({ repo, revision, scope: 'read' })
  if (isRefusal(now)) return now
  const later = mayBeWhole
    ? await hub.storageToken({ repo, revision, scope: 'read', without: refUid })
    : undefined
  const isLeft = later !== undefined && !isRefusal(later)
  const left = await missingFrom({ find }, files, isLeft ? [later] : [])
  if (isRefusal(left)) return left
  if (left.missing.length === 0) return 'whole'
  const to = await hub.storageToken({ repo, revision, scope: 'write' })
  if (isRefusal(to)) return cannotBeSaved(to.missing ?? 'the right to write what needs its content')
  const unknown = left.missing.filter(({ oid }) => !foundFiles.has(oid))
  const owned = await missingFrom({ find }, unknown, [own])
  if (isRefusal(owned)) return owned
  for (const [oid, hash] of owned.found) foundFiles.set(oid, hash)
  const others = await missingFrom({ find }, owned.missing, [now])
  if (isRefusal(others)) return others
  const hashes = left.missing.map(({ oid }) => foundFiles.get(oid) ?? others.found.get(oid))
  const adopted = new Set(hashes.filter((hash) => hash !== undefined))
  const refused = await storage.adopt(to, [...adopted], [now, own])
  return refused ?? (others.missing.length === 0 ? 'whole' : 'partly')
}

interface Found {
  readonly found: ReadonlyMap<string, FileHash>
  readonly missing: readonly Pointer[]
}

async function missingFrom(
  storage: Pick<AskStorage, 'find'>,
  files: readonly Pointer[],
  tokens: readonly IssuedStorageToken[],
): Promise<Found | Refusal> {
  const hashes = await findContent(storage, files, tokens)
  if (isRefusal(hashes)) return hashes
  const found = new Map<string, FileHash>()
  for (const [at, { oid }] of files.entries()) {
    const hash = hashes[at]
    if (hash !== undefined) found.set(oid, hash)
  }
  return { found, missing: files.filter(({ oid }) => !found.has(oid)) }
}

function cannotBeSaved(missing: string): Refusal {
  const detail = `Other refs or commits need content of this one, and it would be lost: deleting it needs ${missing}.`
  return refuse('permission_denied', detail, { missing })
}
