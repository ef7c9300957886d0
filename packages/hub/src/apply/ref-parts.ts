/** A repository with many refs is written in parts, so that none of them holds up other writers for long. */

import type { CommitChange } from '../tables/change.ts'
import { chunked, rowsPerStatement } from '../tables/columns.ts'
import type { NumberedWork } from '../tables/directory.ts'
import type { NewRefRow, RepositoryRow } from '../tables/rows.ts'
import { type ChangedRefs, changeRefs, type RefPlan } from '../verbs/change-refs.ts'

export interface ChangedInParts {
  readonly parts: readonly ChangedRefs[]
  /** The refs as they are after all parts. */
  readonly byName: ReadonlyMap<string, NewRefRow>
}

/** The changes of one ref are in one part, and that part comes after the one of its origin. */
export function changeRefsInParts(
  work: NumberedWork,
  repository: RepositoryRow,
  plan: RefPlan,
): ChangedInParts {
  const parts: ChangedRefs[] = []
  let byName: ReadonlyMap<string, NewRefRow> = plan.kept
  for (const part of partsOf(plan)) {
    const changed = changeRefs(work, repository, { ...part, kept: byName })
    byName = changed.byName
    parts.push(changed)
  }
  return { parts, byName }
}

/** Deletions come first: they narrow, and make names free. */
function partsOf(plan: RefPlan): readonly RefPlan[] {
  const { deleted, moved, created, kept } = plan
  if (deleted.length + moved.length + created.length <= rowsPerStatement) return [plan]
  const none = { deleted: [], moved: [], created: [], kept }
  return [
    ...chunked(deleted).map((some) => ({ ...none, deleted: some })),
    ...chunked(moved).map((some) => ({ ...none, moved: some })),
    ...chunked(created).map((some) => ({ ...none, created: some })),
  ]
}

/** The commits of each part: a commit goes on record with the first ref that brings it, and gets each holder once that is made. */
export function commitsOfParts(
  parts: readonly ChangedRefs[],
  recorded: readonly CommitChange[],
): readonly (readonly CommitChange[])[] {
  const partOfRef = new Map<string, number>()
  const partOfCommit = new Map<string, number>()
  for (const [part, { made, commits }] of parts.entries()) {
    for (const change of made) {
      if (change.thing === 'ref' && change.after !== undefined)
        partOfRef.set(change.after.uid, part)
    }
    for (const { hash } of commits) {
      if (!partOfCommit.has(hash)) partOfCommit.set(hash, part)
    }
  }
  const changes: CommitChange[][] = parts.map(() => [])
  for (const change of recorded) {
    const first = partOfCommit.get(change.commit.hash) ?? parts.length - 1
    const byPart = Map.groupBy(change.holders, ({ uid }) =>
      Math.max(partOfRef.get(uid) ?? first, first),
    )
    // It goes on record also where no ref holds it yet.
    if (change.created !== undefined && !byPart.has(first)) byPart.set(first, [])
    for (const [part, holders] of byPart) {
      const created = part === first ? change.created : undefined
      changes[part]?.push({ ...change, created, holders })
    }
  }
  return changes
}
