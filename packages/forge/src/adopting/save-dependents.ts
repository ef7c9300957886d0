/** Before a ref is deleted: what other refs and commits on record need of its content becomes their own. */

import {
  isRefusal,
  type RefName,
  type Refusal,
  type RepoRef,
  type Revision,
  refuse,
} from '@latchkey/protocol'
import type { ObjectHash, Repository } from '../git/index.ts'
import type { Dependents, HubQuestions, StorageToken } from '../hub-port.ts'
import type { Pointer } from '../large/pointer.ts'
import type { AskStorage } from '../storage/ask-storage.ts'
import { adoptFiles } from './adopt-files.ts'
import { findContent } from './find-content.ts'
import { largeFilesOf } from './large-files-in.ts'

export interface Saving {
  readonly hub: Pick<HubQuestions, 'decide' | 'storageToken'>
  readonly storage: AskStorage
  readonly repository: Repository
  readonly repo: RepoRef
}

interface Dependent {
  readonly revision: Revision
  readonly tree: ObjectHash
  /** Whether it may see some of its content without the ref. */
  readonly mayBeWhole: boolean
}

/** With the rights of the caller. Where they do not suffice, the ref must stay. */
export async function saveDependents(
  saving: Saving,
  ref: RefName,
  dependents: Dependents,
): Promise<Refusal | undefined> {
  const { repository, hub, repo } = saving
  const largeFilesIn = largeFilesOf(repository)
  for await (const dependent of treesOf(saving, dependents)) {
    if (isRefusal(dependent)) return dependent
    const files = await largeFilesIn(dependent.tree)
    if (files.length === 0) continue
    const own = await hub.storageToken({
      ...{ repo, revision: { kind: 'ref', name: ref }, scope: 'read' },
    })
    if (isRefusal(own)) return own
    const refused = await save(saving, { ...dependent, files, own, deleted: dependents.refUid })
    if (refused !== undefined) return refused
  }
  return undefined
}

async function* treesOf(
  { hub, repository, repo }: Saving,
  { commits, refs }: Dependents,
): AsyncGenerator<Dependent | Refusal> {
  for (const { hash, isHeldElsewhere } of commits) {
    const tree = await repository.treeOf(hash)
    const revision = { kind: 'commit', hash } as const
    if (tree !== undefined) yield { revision, tree, mayBeWhole: isHeldElsewhere }
  }
  for (const name of refs) {
    const revision = { kind: 'ref', name } as const
    const permitted = await hub.decide({ repo, revision, scope: 'read' })
    if (isRefusal(permitted)) {
      yield cannotBeSaved('a hub token that reads every ref which may need its content')
      return
    }
    const tree = await repository.treeOf(permitted.commit as typeof permitted.commit & ObjectHash)
    if (tree !== undefined) yield { revision, tree, mayBeWhole: true }
  }
}

interface Save extends Dependent {
  readonly files: readonly Pointer[]
  /** Sees what the ref has that is to be deleted. */
  readonly own: StorageToken
  readonly deleted: Dependents['refUid']
}

async function save(
  { hub, storage, repo }: Saving,
  { revision, files, mayBeWhole, own, deleted }: Save,
): Promise<Refusal | undefined> {
  const now = await hub.storageToken({ repo, revision, scope: 'read' })
  if (isRefusal(now)) return now
  const later = mayBeWhole
    ? await hub.storageToken({ repo, revision, scope: 'read', without: deleted })
    : undefined
  const isLeft = later !== undefined && !isRefusal(later)
  const found = isLeft ? await findContent(storage, files, [later]) : []
  if (isRefusal(found)) return found
  const lost = files.filter((_, at) => found[at] === undefined)
  if (lost.length === 0) return undefined
  const to = await hub.storageToken({ repo, revision, scope: 'write' })
  if (isRefusal(to)) return cannotBeSaved(to.missing ?? 'the right to write what needs its content')
  return adoptFiles(storage, lost, { to, through: [now, own] })
}

function cannotBeSaved(missing: string): Refusal {
  const detail = `Other refs or commits need content of this one, and it would be lost: deleting it needs ${missing}.`
  return refuse('permission_denied', detail, { missing })
}
