/** A whole push as one change: every ref that it moves, makes or deletes, all or none. */

import { mistake } from '@latchkey/admin-api'
import {
  type CommitHash,
  isRefusal,
  type NoCommit,
  noCommit,
  parseRefName,
  type RefName,
  type Refusal,
} from '@latchkey/protocol'
import { chunked, countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import type { RepositoryRow } from '../tables/rows.ts'
import { changeRefs, type RefPlan, type StoredRef, toldOf } from './change-refs.ts'
import type { Does } from './does.ts'
import { recordingOf } from './record-commits.ts'
import { otherCommit, tooManyRefs } from './ref-refusals.ts'
import { maxRefs, twinOf } from './ref-rows.ts'
import { refuseLosing } from './refuse-losing.ts'
import { findRepositoryRow, noRepository, withNewEpoch } from './repository-rows.ts'

export const updateRefs: Does<'ref update'> = async (work, input) => {
  const { repository, updates, force, loseContent } = input
  const { tables, number, put } = work
  const owner = await findRepositoryRow(tables, repository)
  if (owner === undefined) return noRepository(repository)
  const read = readUpdates(updates, force)
  if (isRefusal(read)) return read
  const stored = await storedRefs(tables, owner, read.updates)
  const unexpected = force ? undefined : findUnexpected(read.updates, stored, owner)
  if (unexpected !== undefined) return unexpected
  const { plan, twins } = planOf(read.updates, stored)
  if (await areTooMany(tables, owner, plan)) return tooManyRefs(owner)
  const needed = loseContent ? undefined : await refuseLosing(tables, owner, plan.deleted)
  if (needed !== undefined) return needed
  const { made, commits, reports } = changeRefs(work, owner, plan)
  const recording = await recordingOf(work, owner, commits)
  await put([...withNewEpoch(made, owner, number), ...recording])
  const ignored = [...read.ignored, ...twins]
  return { changes: reports.map((one) => toldOf(owner, one)), ignored }
}

interface Update {
  readonly name: RefName
  readonly old: CommitHash | NoCommit
  readonly new: CommitHash | NoCommit
  /** Its place in the list. */
  readonly index: number
}

interface ReadUpdates {
  readonly updates: readonly Update[]
  /** Git has refs that cannot exist here; a push that has one still moves the others. */
  readonly ignored: string[]
}

function readUpdates(
  inputs: readonly (Pick<Update, 'old' | 'new'> & { readonly ref: string })[],
  force: boolean,
): ReadUpdates | Refusal {
  const updates: Update[] = []
  const ignored: string[] = []
  const earlierRefs = new Set<string>()
  for (const [index, { ref, ...commits }] of inputs.entries()) {
    const path = ['updates', index]
    const name = parseRefName(ref)
    if (earlierRefs.has(ref))
      return mistake([...path, 'ref'], 'is named above already: keep one line')
    earlierRefs.add(ref)
    if (!force && commits.old === noCommit && commits.new === noCommit) {
      return mistake(path, 'has zeros as its old and as its new commit, which says nothing')
    }
    if (name === undefined) ignored.push(ref)
    else updates.push({ name, index, ...commits })
  }
  return { updates, ignored }
}

type Stored = ReadonlyMap<string, StoredRef>

/** The refs that the push names, and those whose names would stand in its way. */
async function storedRefs(
  tables: Reading,
  { uid }: RepositoryRow,
  updates: readonly Update[],
): Promise<Stored> {
  const stored = new Map<string, StoredRef>()
  const names = new Set(updates.flatMap(({ name }) => [name, twinOf(name) ?? name]))
  for (const some of chunked(Array.from(names))) {
    const rows = await tables
      .selectFrom('refs')
      .selectAll()
      .where('repository_uid', '=', uid)
      .where('name', 'in', some)
      .execute()
    for (const row of rows) stored.set(row.name, { ...row, name: row.name as RefName })
  }
  return stored
}

function findUnexpected(
  updates: readonly Update[],
  stored: Stored,
  owner: RepositoryRow,
): Refusal | undefined {
  for (const { name, old, index } of updates) {
    const found = stored.get(name)?.commit_hash
    if (old === (found ?? noCommit)) continue
    const refusal = otherCommit({ name, expected: old, found }, owner)
    return { ...refusal, path: `updates[${index}].old` }
  }
  return undefined
}

interface Planned {
  readonly plan: RefPlan
  /** New refs that are left out, because no name can be a branch and a tag at once. */
  readonly twins: readonly RefName[]
}

function planOf(updates: readonly Update[], stored: Stored): Planned {
  const remaining = new Map(stored)
  const deleted: StoredRef[] = []
  const moved: { ref: StoredRef; commit: CommitHash }[] = []
  const newRefs: { name: RefName; commit: CommitHash }[] = []
  for (const { name, new: next } of updates) {
    const ref = stored.get(name)
    if (isNone(next)) {
      remaining.delete(name)
      if (ref !== undefined) deleted.push(ref)
    } else if (ref === undefined) newRefs.push({ name, commit: next })
    else if (ref.commit_hash !== next) moved.push({ ref, commit: next })
  }
  const twins = twinsAmong(newRefs, remaining)
  const created = newRefs.filter(({ name }) => !twins.has(name))
  return { plan: { deleted, moved, created, remaining }, twins: Array.from(twins) }
}

/** A ref that is there stays, and of two new ones the tag: git, too, takes a name for the tag first. */
function twinsAmong(
  newRefs: readonly { readonly name: RefName }[],
  remaining: ReadonlyMap<string, StoredRef>,
): ReadonlySet<RefName> {
  const names = new Set<string>(newRefs.map(({ name }) => name))
  const isLeftOut = ({ name }: { readonly name: RefName }) => {
    const twin = twinOf(name)
    if (twin === undefined) return false
    return remaining.has(twin) || (names.has(twin) && !name.startsWith('refs/tags/'))
  }
  return new Set(newRefs.filter(isLeftOut).map(({ name }) => name))
}

function isNone(commit: CommitHash | NoCommit): commit is NoCommit {
  return commit === noCommit
}

async function areTooMany(
  tables: Reading,
  { uid }: RepositoryRow,
  { deleted, created }: RefPlan,
): Promise<boolean> {
  const held = await countOf(tables.selectFrom('refs').where('repository_uid', '=', uid))
  return held - deleted.length + created.length > maxRefs
}
