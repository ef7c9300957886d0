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
  target: WantedRefs,
): RefPlan | Refusal {
  const names = new Set<string>(target.refs.map(({ name }) => name))
  const isDeleted = ({ name }: StoredRef) => target.kinds.has(refKind(name)) && !names.has(name)
  const remaining = new Map(stored.filter((ref) => !isDeleted(ref)).map((ref) => [ref.name, ref]))
  const isNew = ({ name }: WantedRef) => !remaining.has(name)

  const wrong =
    findRefork(repository, target.refs, remaining) ??
    findTwin(repository, target.refs.filter(isNew), remaining)
  if (wrong !== undefined) return wrong
  // With the first part, where there are many: a repository has its default branch at once.
  const isDefault = ({ name }: WantedRef) => name === target.defaultBranch
  const [first, others] = [
    target.refs.filter(isDefault),
    target.refs.filter((ref) => !isDefault(ref)),
  ]
  const created = inOrderOfOrigin([...first, ...others].filter(isNew), remaining)
  if (isRefusal(created)) return created
  const moved = target.refs.flatMap(({ name, commit }) => {
    const ref = remaining.get(name)
    if (ref === undefined || commit === undefined || ref.commit_hash === commit) return []
    return [{ ref, commit }]
  })
  return { deleted: stored.filter(isDeleted), moved, created, remaining }
}

type Kept = ReadonlyMap<string, StoredRef>

function findRefork(
  repository: RepositoryRow,
  refs: readonly WantedRef[],
  remaining: Kept,
): Refusal | undefined {
  for (const { name, from, path } of refs) {
    const ref = remaining.get(name)
    if (ref === undefined || from === undefined || ref.from_name === from) continue
    return at([...path, 'from'], otherOrigin(ref, repository))
  }
  return undefined
}

function findTwin(
  repository: RepositoryRow,
  created: readonly WantedRef[],
  remaining: Kept,
): Refusal | undefined {
  const names = new Set<string>(remaining.keys())
  for (const { name, path } of created) {
    names.add(name)
    const twin = twinOf(name)
    if (twin === undefined || !names.has(twin)) continue
    if (remaining.has(twin)) return at(path, twinTaken(twin, repository))
    const detail = `${name} cannot exist together with ${twin}: no name can be a branch and a tag at once. Choose another name.`
    return at(path, refuse('conflict', detail))
  }
  return undefined
}

/** Independent of the order in the file; a ref that is made from itself in the end is a mistake. */
function inOrderOfOrigin(created: readonly WantedRef[], remaining: Kept): WantedRef[] | Refusal {
  const pending = new Map<string, WantedRef>(created.map((ref) => [ref.name, ref]))
  const placed = new Set<WantedRef>()
  for (const start of created) {
    const line = new Set<WantedRef>()
    for (let ref: WantedRef | undefined = start; ref !== undefined && !placed.has(ref); ) {
      if (line.has(ref)) return at([...ref.path, 'from'], madeFromItself(ref.name))
      line.add(ref)
      if (ref.from === undefined || remaining.has(ref.from)) break
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
