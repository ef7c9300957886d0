/** Large files that a commit names by their hash alone: a client copies what some ref of the repository has. */

import type { CallerQuestions, IssuedStorageToken } from '@latchkey/admin-api/forge-port'
import { isRefusal, type RefName, type Refusal, type RepoRef } from '@latchkey/protocol'
import type { Repository } from '../git/index.ts'
import { isNone } from '../large-files/open-revision.ts'
import type { LfsOid, Pointer } from '../words/pointer.ts'
import { largeFilesOf } from './large-files-in.ts'

export interface Copies {
  /** Undefined where no ref that the caller may read has it. */
  find(oid: LfsOid): Promise<Pointer | Refusal | undefined>
  /** See the content of all that was found. */
  tokens(): Promise<readonly IssuedStorageToken[] | Refusal>
}

export interface Copying {
  readonly hub: Pick<CallerQuestions, 'refs' | 'storageToken'>
  readonly repository: Repository
  readonly repo: RepoRef
  readonly signal: AbortSignal
}

/** Looked through for one commit; the storage takes seven tokens beside that of the ref. */
const maxRefs = 100
const maxSources = 4

/** Searches only after a commit names such a file. */
export function findCopies({ hub, repository, repo, signal }: Copying): Copies {
  const largeFilesIn = largeFilesOf(repository, signal)
  const pointers = new Map<LfsOid, { readonly pointer: Pointer; readonly ref: RefName }>()
  const sources = new Set<RefName>()
  let left: [RefName, Parameters<Repository['treeOf']>[0]][] | undefined
  const learnNext = async ([ref, commit]: NonNullable<typeof left>[number]) => {
    const tree = await repository.treeOf(commit)
    for (const pointer of tree === undefined ? [] : await largeFilesIn(tree)) {
      if (!pointers.has(pointer.oid)) pointers.set(pointer.oid, { pointer, ref })
    }
  }
  return {
    async find(oid) {
      if (left === undefined) {
        const found = await hub.refs(repo)
        if (isRefusal(found)) return found
        left = [...found.refs]
          .flatMap(([ref, commit]) =>
            isNone(commit) ? [] : [[ref, commit] as [RefName, typeof commit]],
          )
          .slice(0, maxRefs)
      }
      while (!pointers.has(oid)) {
        const next = left.shift()
        if (next === undefined) return undefined
        await learnNext(next)
      }
      const { pointer, ref } = pointers.get(oid) ?? {}
      if (ref !== undefined) sources.add(ref)
      return sources.size > maxSources ? undefined : pointer
    },
    async tokens() {
      const tokens: IssuedStorageToken[] = []
      for (const name of sources) {
        const revision = { kind: 'ref', name } as const
        const token = await hub.storageToken({ repo, revision, scope: 'read' })
        if (isRefusal(token)) return token
        tokens.push(token)
      }
      return tokens
    },
  }
}
