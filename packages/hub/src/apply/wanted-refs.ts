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
import type { RepositoryRow } from '../tables/rows.ts'

export interface WantedRef {
  readonly name: RefName
  /** Without one, a ref that exists stays where it is. */
  readonly commit?: CommitHash | undefined
  readonly from?: RefName | undefined
  /** Where the file says so. */
  readonly path: InputPath
}

export interface WantedRefs {
  /** The kinds that the file lists, whose stored list it therefore replaces. */
  readonly kinds: ReadonlySet<RefKind>
  readonly refs: readonly WantedRef[]
  /** After the file; it need not be among the refs. */
  readonly defaultBranch: RefName
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
      'cannot be the name of a ref here: expected one such as refs/pr/1; branches and tags have separate lists',
  },
]

interface NamedRepository {
  readonly entry: RepositoryEntry
  readonly path: InputPath
  readonly row: Pick<RepositoryRow, 'default_branch'>
  readonly isNew: boolean
}

export function wantedRefs(repository: NamedRepository): WantedRefs | Refusal {
  const { entry, path: place } = repository
  const kinds = new Set<RefKind>()
  const refs: WantedRef[] = [...defaultBranchOf(repository)]
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
  return { kinds, refs, defaultBranch: defaultNameOf(repository) }
}

/** The file need not list it: it is made without a commit where there is none. A list of branches is complete. */
function defaultBranchOf(repository: NamedRepository): readonly WantedRef[] {
  const { entry, path, isNew } = repository
  const { branches, defaultBranch } = entry
  if (branches !== undefined || !(isNew || defaultBranch !== undefined)) return []
  return [{ name: defaultNameOf(repository), path: [...path, 'defaultBranch'] }]
}

function defaultNameOf({ entry, row }: NamedRepository): RefName {
  return entry.defaultBranch ?? (row.default_branch as RefName)
}

function target(value: MovingEntry): Pick<WantedRef, 'commit' | 'from'> {
  if (value === null) return {}
  return typeof value === 'string'
    ? { commit: value }
    : { commit: value.commit ?? undefined, from: value.from }
}

function readOther(text: string): RefName | undefined {
  const name = parseRefName(text)
  return name !== undefined && refKind(name) === 'other' ? name : undefined
}
