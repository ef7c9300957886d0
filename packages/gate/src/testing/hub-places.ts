/** Repositories and refs of a fake hub: a name has a uid from its first mention until a test deletes it. */

import {
  type CommitHash,
  formatRepoRef,
  type JournalNumber,
  parseRepoRef,
  parseRevision,
  type RefName,
  type RefUid,
  type RepoRef,
  type RepositoryUid,
} from '@latchkey/protocol'
import { newId, pooledRandom } from '@latchkey/service/machine/random'

export interface Place {
  readonly repository: RepoRef
  readonly repositoryUid: RepositoryUid
  readonly ref: RefName | CommitHash
  readonly refUid: RefUid
}

export interface HubPlaces {
  /** Makes what has no uid yet. */
  placeOf(repository: string, ref: string): Place
  /** The uid of a repository that a test has named before; otherwise an error. */
  repositoryUid(repository: string): RepositoryUid
  refUid(repository: string, ref: string): RefUid
  /** The number at which `ref` was made from another one: the first time that both are named together. */
  forkNumber(place: Place, inherited: Place, number: () => JournalNumber): JournalNumber
  /** The name has another uid from now on. */
  deleteRepository(repository: string): void
  deleteRef(repository: string, ref: string): void
}

/** The uids and forks of one repository. */
interface Holding {
  readonly uid: RepositoryUid
  readonly refs: Map<string, RefUid>
  readonly forks: Map<string, JournalNumber>
}

export function hubPlaces(whenMade: () => void): HubPlaces {
  const randomBytes = pooledRandom()
  const repositories = new Map<string, Holding>()
  const holdingOf = (repository: string): Holding => {
    const name = formatRepoRef(readRepository(repository))
    const held = repositories.get(name)
    if (held === undefined) throw unknownName(repository)
    return held
  }
  const refUid = (repository: string, ref: string): RefUid => {
    const uid = holdingOf(repository).refs.get(readRef(ref))
    if (uid === undefined) throw unknownName(`${ref} of ${repository}`)
    return uid
  }
  return {
    refUid,
    repositoryUid: (repository) => holdingOf(repository).uid,
    placeOf(repositoryText, refText) {
      const repository = readRepository(repositoryText)
      const ref = readRef(refText)
      const name = formatRepoRef(repository)
      const held = repositories.get(name) ?? {
        uid: newId<RepositoryUid>(randomBytes),
        refs: new Map<string, RefUid>(),
        forks: new Map<string, JournalNumber>(),
      }
      const heldRef = held.refs.get(ref)
      const uid = heldRef ?? newId<RefUid>(randomBytes)
      repositories.set(name, held)
      held.refs.set(ref, uid)
      if (heldRef === undefined) whenMade()
      return { repository, repositoryUid: held.uid, ref, refUid: uid }
    },
    forkNumber({ repository, refUid: uid }, inherited, number) {
      const { forks } = holdingOf(formatRepoRef(repository))
      const key = `${uid} ${inherited.refUid}`
      const before = forks.get(key) ?? number()
      forks.set(key, before)
      return before
    },
    deleteRepository: (repository) => {
      holdingOf(repository)
      repositories.delete(formatRepoRef(readRepository(repository)))
    },
    deleteRef(repository, ref) {
      refUid(repository, ref)
      holdingOf(repository).refs.delete(readRef(ref))
    },
  }
}

function readRepository(text: string): RepoRef {
  const repository = parseRepoRef(text)
  if (repository !== undefined) return repository
  throw new TypeError(
    `${JSON.stringify(text)} names no repository. Write it as models/acme/bert, with models, datasets or spaces.`,
  )
}

/** A name without `refs/` is a branch. */
function readRef(text: string): RefName | CommitHash {
  const revision = parseRevision(text)
  if (revision.kind === 'commit') return revision.hash
  if (revision.kind === 'ref') return revision.name
  if (revision.kind === 'bare') return revision.branch
  throw new TypeError(
    `${JSON.stringify(text)} names no ref. Write main, refs/tags/v1 or a whole commit hash.`,
  )
}

function unknownName(name: string): TypeError {
  return new TypeError(
    `The fake hub knows no ${name}. Make a token for it first; a test can revoke or delete only what it has named.`,
  )
}
