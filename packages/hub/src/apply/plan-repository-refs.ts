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
import { chunked, rowsPerStatement } from '../tables/columns.ts'
import type { NumberedWork } from '../tables/directory.ts'
import type { NewRefRow, RepositoryRow, TeamRoleRow } from '../tables/rows.ts'
import {
  type ChangedRefs,
  changeRefs,
  type RefPlan,
  type StoredRef,
  toldOf,
} from '../verbs/change-refs.ts'
import type { PublisherPlace } from '../verbs/publisher-rows.ts'
import { firstRecordingOf, recordingOf, type WantedCommit } from '../verbs/record-commits.ts'
import { tooManyRefs } from '../verbs/ref-refusals.ts'
import { maxRefs } from '../verbs/ref-rows.ts'
import { refuseLosing } from '../verbs/refuse-losing.ts'
import { withNewEpoch } from '../verbs/repository-rows.ts'
import { planRefs } from './plan-refs.ts'
import { at, type Planning, type ReportedChange, type Unit } from './planning.ts'
import type { StoredRole } from './stored-roles.ts'
import { wantedRefs } from './wanted-refs.ts'

export interface RepositoryPlace {
  readonly entry: RepositoryEntry
  readonly path: InputPath
  readonly row: RepositoryRow
  readonly isNew: boolean
  /** The stored state of the repository. */
  readonly roles: readonly StoredRole[]
  readonly teamRoles: readonly TeamRoleRow[]
  readonly refs: readonly StoredRef[]
  readonly publishers: readonly PublisherPlace[]
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
  const target = wantedRefs(place)
  if (isRefusal(target)) return target
  const { kinds, refs: named } = target
  if (kinds.size + named.length === 0 && entry.commits === undefined) {
    return { own: nothing, further: [] }
  }
  const plan = planRefs(row, place.refs, target)
  if (isRefusal(plan)) return plan
  if (plan.remaining.size + plan.created.length > maxRefs) {
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
  const [own, ...rest] = parts.map(({ made, reports }, part) => {
    const commits = brought[part] ?? []
    const news = isNew ? reports.filter(({ did }) => did !== 'created') : reports
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
    const commit = untold.get(hash)
    const isNews =
      commit !== undefined &&
      (created !== undefined || commit.holders.some((ref) => holders.includes(ref)))
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
  const commitsByHash = new Map<CommitHash, WantedCommit>()
  for (const [text, names] of Object.entries(commits)) {
    const here = [...path, 'commits', text]
    const hash = parseCommitHash(text)
    if (hash === undefined) return mistake(here, expectedCommit)
    if (commitsByHash.has(hash)) {
      return mistake(here, 'repeats a commit that is named above: keep one of them')
    }
    const holders: NewRefRow[] = []
    for (const [index, name] of names.entries()) {
      const ref = refs.get(name)
      if (ref === undefined) return at([...here, index], noHolder(name))
      holders.push(ref)
    }
    commitsByHash.set(hash, { hash, holders })
  }
  return Array.from(commitsByHash.values())
}

function noHolder(name: RefName): Refusal {
  return refuse(
    'resource_not_found',
    `There is no ${shortRefName(name)} to hold this commit. Name it in the file too, or leave it out.`,
  )
}

interface ChangedInParts {
  readonly parts: readonly ChangedRefs[]
  /** The refs as they are after all parts. */
  readonly byName: ReadonlyMap<string, NewRefRow>
}

/** The changes of one ref are in one part, and that part comes after the one of its origin. */
function changeRefsInParts(
  work: NumberedWork,
  repository: RepositoryRow,
  plan: RefPlan,
): ChangedInParts {
  const parts: ChangedRefs[] = []
  let byName: ReadonlyMap<string, NewRefRow> = plan.remaining
  for (const part of partsOf(plan)) {
    const changed = changeRefs(work, repository, { ...part, remaining: byName })
    byName = changed.byName
    parts.push(changed)
  }
  return { parts, byName }
}

/** Deletions come first: they narrow, and make names free. */
function partsOf(plan: RefPlan): readonly RefPlan[] {
  const { deleted, moved, created, remaining } = plan
  if (deleted.length + moved.length + created.length <= rowsPerStatement) return [plan]
  const none = { deleted: [], moved: [], created: [], remaining }
  return [
    ...chunked(deleted).map((some) => ({ ...none, deleted: some })),
    ...chunked(moved).map((some) => ({ ...none, moved: some })),
    ...chunked(created).map((some) => ({ ...none, created: some })),
  ]
}

/** The commits of each part: a commit goes on record with the first ref that brings it, and gets each holder once that is made. */
function commitsOfParts(
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
