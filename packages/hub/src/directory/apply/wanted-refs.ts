/** The refs that a directory file names for one repository, by their full names. */

import {
  type InputPath,
  looksSecret,
  type MovingEntry,
  mistake,
  type RepositoryEntry,
  tokenIsNoName,
} from '@latchkey/admin-api'
import {
  branchName,
  type CommitHash,
  parseRefName,
  type RefKind,
  type RefName,
  type Refusal,
  refKind,
  tagName,
} from '@latchkey/protocol'

export interface WantedRef {
  readonly name: RefName
  readonly commit: CommitHash
  readonly from?: RefName | undefined
  /** Where the file says so. */
  readonly path: InputPath
}

export interface WantedRefs {
  /** The kinds that the file lists, whose stored list it therefore replaces. */
  readonly kinds: ReadonlySet<RefKind>
  readonly refs: readonly WantedRef[]
}

interface List {
  readonly key: 'branches' | 'tags' | 'refs'
  readonly kind: RefKind
  readonly read: (text: string) => RefName | undefined
  readonly expected: string
}

const lists: readonly List[] = [
  {
    key: 'branches',
    kind: 'branch',
    read: branchName,
    expected: 'cannot be the name of a branch: expected one such as main',
  },
  {
    key: 'tags',
    kind: 'tag',
    read: tagName,
    expected: 'cannot be the name of a tag: expected one such as v1.0',
  },
  {
    key: 'refs',
    kind: 'other',
    read: readOther,
    expected:
      'cannot be the name of a ref here: expected one such as refs/pr/1; branches and tags have lists of their own',
  },
]

export function wantedRefs(entry: RepositoryEntry, place: InputPath): WantedRefs | Refusal {
  const kinds = new Set<RefKind>()
  const refs: WantedRef[] = []
  for (const { key, kind, read, expected } of lists) {
    const listed = entry[key]
    if (listed === undefined) continue
    kinds.add(kind)
    for (const [text, value] of Object.entries(listed)) {
      const path = [...place, key, text]
      const name = read(text)
      if (looksSecret(text)) return mistake(path, tokenIsNoName)
      if (name === undefined) return mistake(path, expected)
      refs.push({ name, ...target(value), path })
    }
  }
  return { kinds, refs }
}

function target(value: MovingEntry): Pick<WantedRef, 'commit' | 'from'> {
  return typeof value === 'string' ? { commit: value } : value
}

function readOther(text: string): RefName | undefined {
  const name = parseRefName(text)
  return name !== undefined && refKind(name) === 'other' ? name : undefined
}
