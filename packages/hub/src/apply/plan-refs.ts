/** Compares the refs a repository has with those a file wants. Touches nothing. */

import {
  isRefusal,
  type RefName,
  type Refusal,
  refKind,
  refuse,
  shortRefName,
} from '@latchkey/protocol'
import type { RepositoryRow } from '../tables/rows.ts'
import type { RefPlan, StoredRef } from '../verbs/change-refs.ts'
import { otherOrigin, twinTaken } from '../verbs/ref-refusals.ts'
import { twinOf } from '../verbs/ref-rows.ts'
import { at } from './planning.ts'
import type { WantedRef, WantedRefs } from './wanted-refs.ts'

export function planRefs(
  repository: RepositoryRow,
  stored: readonly StoredRef[],
  wanted: WantedRefs,
): RefPlan | Refusal {
  const names = new Set<string>(wanted.refs.map(({ name }) => name))
  const isDeleted = ({ name }: StoredRef) => wanted.kinds.has(refKind(name)) && !names.has(name)
  const kept = new Map(stored.filter((ref) => !isDeleted(ref)).map((ref) => [ref.name, ref]))
  const isNew = ({ name }: WantedRef) => !kept.has(name)

  const wrong =
    findRefork(repository, wanted.refs, kept) ??
    findTwin(repository, wanted.refs.filter(isNew), kept)
  if (wrong !== undefined) return wrong
  // With the first part, where there are many: a repository has its default branch at once.
  const isDefault = ({ name }: WantedRef) => name === wanted.defaultBranch
  const [first, others] = [
    wanted.refs.filter(isDefault),
    wanted.refs.filter((ref) => !isDefault(ref)),
  ]
  const created = inOrderOfOrigin([...first, ...others].filter(isNew), kept)
  if (isRefusal(created)) return created
  const moved = wanted.refs.flatMap(({ name, commit }) => {
    const ref = kept.get(name)
    if (ref === undefined || commit === undefined || ref.commit_hash === commit) return []
    return [{ ref, commit }]
  })
  return { deleted: stored.filter(isDeleted), moved, created, kept }
}

type Kept = ReadonlyMap<string, StoredRef>

function findRefork(
  repository: RepositoryRow,
  wanted: readonly WantedRef[],
  kept: Kept,
): Refusal | undefined {
  for (const { name, from, path } of wanted) {
    const ref = kept.get(name)
    if (ref === undefined || from === undefined || ref.from_name === from) continue
    return at([...path, 'from'], otherOrigin(ref, repository))
  }
  return undefined
}

function findTwin(
  repository: RepositoryRow,
  created: readonly WantedRef[],
  kept: Kept,
): Refusal | undefined {
  const names = new Set<string>(kept.keys())
  for (const { name, path } of created) {
    names.add(name)
    const twin = twinOf(name)
    if (twin === undefined || !names.has(twin)) continue
    if (kept.has(twin)) return at(path, twinTaken(twin, repository))
    const detail = `${name} cannot be beside ${twin}: no name can be a branch and a tag at once. Choose another name.`
    return at(path, refuse('conflict', detail))
  }
  return undefined
}

/** Independent of the order in the file; a ref that is made from itself in the end is a mistake. */
function inOrderOfOrigin(created: readonly WantedRef[], kept: Kept): WantedRef[] | Refusal {
  const pending = new Map<string, WantedRef>(created.map((ref) => [ref.name, ref]))
  const placed = new Set<WantedRef>()
  for (const start of created) {
    const line = new Set<WantedRef>()
    for (let ref: WantedRef | undefined = start; ref !== undefined && !placed.has(ref); ) {
      if (line.has(ref)) return at([...ref.path, 'from'], madeFromItself(ref.name))
      line.add(ref)
      if (ref.from === undefined || kept.has(ref.from)) break
      const origin = pending.get(ref.from)
      if (origin === undefined) return at([...ref.path, 'from'], noOrigin(ref.from))
      ref = origin
    }
    for (const ref of Array.from(line).reverse()) placed.add(ref)
  }
  return Array.from(placed)
}

function madeFromItself(name: RefName): Refusal {
  const detail = `${shortRefName(name)} is made from itself in the end. One of the refs in this circle must be made from nothing.`
  return refuse('bad_request', detail)
}

function noOrigin(from: RefName): Refusal {
  const detail = `There is no ${shortRefName(from)} to make it from. Name it in the file too, or leave "from" out.`
  return refuse('resource_not_found', detail)
}
