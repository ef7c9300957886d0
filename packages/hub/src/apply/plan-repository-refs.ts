/** The refs and commits of one repository of a directory file. */

import { expectedCommit, type InputPath, mistake, type RepositoryEntry } from '@latchkey/admin-api'
import {
  type CommitHash,
  isRefusal,
  parseCommitHash,
  type RefName,
  type Refusal,
  refuse,
  shortRefName,
} from '@latchkey/protocol'
import type { CommitChange } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { NewRefRow, RepositoryRow } from '../tables/rows.ts'
import { type StoredRef, toldOf } from '../verbs/change-refs.ts'
import { withNewEpoch } from '../verbs/epochs.ts'
import { firstRecordingOf, recordingOf, type WantedCommit } from '../verbs/record-commits.ts'
import { tooManyRefs } from '../verbs/ref-refusals.ts'
import { mostRefs } from '../verbs/ref-rows.ts'
import { refuseLosing } from '../verbs/refuse-losing.ts'
import { planRefs } from './plan-refs.ts'
import { at, type Planning, type ReportedChange, type Unit } from './planning.ts'
import { changeRefsInParts, commitsOfParts } from './ref-parts.ts'
import type { StoredRole } from './stored-roles.ts'
import { wantedRefs } from './wanted-refs.ts'

export interface RepositoryPlace {
  readonly entry: RepositoryEntry
  readonly path: InputPath
  readonly row: RepositoryRow
  readonly isNew: boolean
  /** What is stored of it. */
  readonly roles: readonly StoredRole[]
  readonly refs: readonly StoredRef[]
}

/** The refs belong to the repository's own unit, unless they are many; commits that no ref brings follow in units of theirs. */
interface PlannedRefs {
  readonly own: Unit
  readonly further: readonly Unit[]
}

export async function planRepositoryRefs(
  { work, loseContent }: Pick<Planning, 'work' | 'loseContent'>,
  place: RepositoryPlace,
): Promise<PlannedRefs | Refusal> {
  const { entry, path, row, isNew } = place
  const wanted = wantedRefs(place)
  if (isRefusal(wanted)) return wanted
  const { kinds, refs: named } = wanted
  if (kinds.size + named.length === 0 && entry.commits === undefined) {
    return { own: nothing, further: [] }
  }
  const plan = planRefs(row, place.refs, wanted)
  if (isRefusal(plan)) return plan
  if (plan.kept.size + plan.created.length > mostRefs) {
    return at(path, tooManyRefs(row))
  }
  const needed = loseContent ? undefined : await refuseLosing(work.tables, row, plan.deleted)
  if (needed !== undefined) return at(path, needed)
  const { parts, byName } = changeRefsInParts(work, row, plan)
  const listed = wantedCommits(entry, path, byName)
  if (isRefusal(listed)) return listed
  const heads = parts.flatMap(({ commits }) => commits)
  const record = isNew ? firstRecordingOf : recordingOf
  const recorded = await record(work, row, [...heads, ...listed])
  const hashes = new Set(heads.map(({ hash }) => hash))
  const isHead = ({ commit }: CommitChange) => hashes.has(commit.hash as CommitHash)
  const untold = new Map(isNew ? [] : listed.map((commit) => [commit.hash, commit]))
  const reportedOf = (some: readonly CommitChange[]) => reportedCommits(row, untold, some)
  const brought = commitsOfParts(parts, recorded.filter(isHead))
  const [own, ...rest] = parts.map(({ made, told }, part) => {
    const commits = brought[part] ?? []
    const news = isNew ? told.filter(({ did }) => did !== 'created') : told
    return {
      changes: [...withNewEpoch(made, row, work.number), ...commits],
      reported: [...news.map((one) => toldOf(row, one)), ...reportedOf(commits)],
    }
  })
  const listedAlone = chunked(recorded.filter((change) => !isHead(change)))
  return {
    own: own ?? nothing,
    further: [
      ...rest,
      ...listedAlone.map((changes) => ({ changes, reported: reportedOf(changes) })),
    ],
  }
}

const nothing: Unit = { changes: [], reported: [] }

/** Commits that the file lists by themselves, each once; a commit of a ref is told with the ref. */
function reportedCommits(
  { path }: RepositoryRow,
  untold: Map<string, WantedCommit>,
  recorded: readonly CommitChange[],
): ReportedChange[] {
  return recorded.flatMap(({ commit: { hash }, created, holders }) => {
    const wanted = untold.get(hash)
    const isNews =
      wanted !== undefined &&
      (created !== undefined || wanted.holders.some((ref) => holders.includes(ref)))
    if (isNews) untold.delete(hash)
    return isNews ? [{ what: 'commit', name: `${path}@${hash}`, did: 'recorded' }] : []
  })
}

/** The commits that a directory file puts on record for one repository; they only ever add up. */
function wantedCommits(
  { commits = {} }: RepositoryEntry,
  path: InputPath,
  refs: ReadonlyMap<string, NewRefRow>,
): readonly WantedCommit[] | Refusal {
  const wanted = new Map<CommitHash, WantedCommit>()
  for (const [text, names] of Object.entries(commits)) {
    const here = [...path, 'commits', text]
    const hash = parseCommitHash(text)
    if (hash === undefined) return mistake(here, expectedCommit)
    if (wanted.has(hash)) {
      return mistake(here, 'repeats a commit that is named above: keep one of them')
    }
    const holders: NewRefRow[] = []
    for (const [index, name] of names.entries()) {
      const ref = refs.get(name)
      if (ref === undefined) return at([...here, index], noHolder(name))
      holders.push(ref)
    }
    wanted.set(hash, { hash, holders })
  }
  return Array.from(wanted.values())
}

function noHolder(name: RefName): Refusal {
  return refuse(
    'resource_not_found',
    `There is no ${shortRefName(name)} to hold this commit. Name it in the file too, or leave it out.`,
  )
}
