/** Commits that got another holder, which closes them to callers who may not write every ref that holds or held them. */

import { type CommitHash, parseRefName, type RefName } from '@latchkey/protocol'
import { z } from 'zod'
import type { Change } from '../tables/change.ts'
import type { ChangeWork } from '../tables/directory.ts'
import type { CommitRow, JournalRow, RefRow, RepositoryRow } from '../tables/rows.ts'
import { recordingOf } from '../verbs/record-commits.ts'
import { newRefRow } from '../verbs/ref-rows.ts'
import { findRepositoryByUid } from '../verbs/repository-rows.ts'

export const repeated: Repetition = { outcome: 'repeated' }
export const notThere: Repetition = { outcome: 'not needed', detail: 'It is not in the backup.' }
export const hadNoMore: Repetition = {
  outcome: 'not needed',
  detail: 'The backup gives no more than this entry left.',
}

const maxShown = 300

const listed = z.array(z.object({ uid: z.string(), ref: z.string() }))

/** Where the entry keeps only how many holders there were. No pattern for branches or tags reaches this name. */
const unknownHolder = { uid: '', ref: 'refs/restored/unknown' }

export const repeatCommit: Repeat = async (work, { ref_uid, repository_uid, after }) => {
  const { tables } = work
  const commit = await tables
    .selectFrom('commits')
    .selectAll()
    .where('uid', '=', ref_uid)
    .executeTakeFirst()
  const repository = await findRepositoryByUid(tables, repository_uid)
  if (commit === undefined || repository === undefined) return notThere
  const { success, data = [unknownHolder] } = listed.safeParse(after['holders'])
  let isHeld = true
  for (const holder of data) {
    if (await isHolder(work, commit, holder)) continue
    isHeld = false
    await hold(work, { commit, repository, holder })
  }
  if (isHeld) return hadNoMore
  if (success) return repeated
  return {
    outcome: 'made safe',
    detail:
      'The entry does not name its holders: hub tokens that are limited to refs cannot write it.',
  }
}

interface Holder {
  readonly uid: string
  readonly ref: string
}

interface Holding {
  readonly commit: CommitRow
  readonly repository: RepositoryRow
  readonly holder: Holder
}

/** A ref that is not in the backup counts as a past holder, by its name. */
async function isHolder({ tables }: ChangeWork, commit: CommitRow, { uid, ref }: Holder) {
  const { repository_uid, hash } = commit
  const held = await tables
    .selectFrom('commit_holders')
    .select('ref_uid')
    .where('repository_uid', '=', repository_uid)
    .where('hash', '=', hash)
    .execute()
  const past = await tables
    .selectFrom('past_holders')
    .select('name')
    .where('repository_uid', '=', repository_uid)
    .where('hash', '=', hash)
    .execute()
  return held.some((row) => row.ref_uid === uid) || past.some(({ name }) => name === ref)
}

async function hold(work: ChangeWork, { commit, repository, holder }: Holding): Promise<void> {
  const { put } = work
  const hash = commit.hash as CommitHash
  const refs = await refsOf(work, repository)
  const knownRef = refs.find(({ uid }) => uid === holder.uid)
  if (knownRef !== undefined) {
    return put(await recordingOf(work, repository, [{ hash, holders: [knownRef] }]))
  }
  // The database itself keeps the names of deleted holders, so the ref is made and deleted again. It never had content.
  const ref = newRefRow(work, repository.uid, { name: freeName(refs, holder), commit: hash })
  const made: Change = { thing: 'ref', after: ref, repository }
  await put([made, ...(await recordingOf(work, repository, [{ hash, holders: [ref] }]))])
  await put([{ thing: 'ref', before: ref, repository }])
}

/** The holder's own name; where another ref of the backup has it, one that no pattern for branches or tags reaches. */
function freeName(refs: readonly RefRow[], { uid, ref }: Holder): RefName {
  const name = parseRefName(ref)
  if (name !== undefined && !refs.some((other) => other.name === name)) return name
  return parseRefName(`refs/restored/${uid}`) ?? (unknownHolder.ref as RefName)
}

function refsOf({ tables }: ChangeWork, { uid }: RepositoryRow): Promise<RefRow[]> {
  return tables.selectFrom('refs').selectAll().where('repository_uid', '=', uid).execute()
}

type Image = Readonly<Record<string, unknown>>

export interface ReportedEntry extends Omit<JournalRow, 'detail'> {
  readonly before: Image
  readonly after: Image
}

/**
 * The outcome for an entry: - repeated: the restore removed the same access; - made safe: the entry
 * has too few details, so the restore removed more; - not needed: the backup does not have its
 * subject, or not more access than the entry left; - not repeated: an operator has to look at it.
 */
type RestoreOutcome = 'repeated' | 'made safe' | 'not needed' | 'not repeated'

export interface Repetition {
  readonly outcome: RestoreOutcome
  /** A sentence for the operator; undefined where the entry says it all. */
  readonly detail?: string
}

/** Repeats what one entry took away. Never gives anything that the restored directory does not have. */
export type Repeat = (work: ChangeWork, entry: ReportedEntry) => Promise<Repetition>

/**
 * The remaining list where the entry has another one: the entry may have added values that the
 * backup does not allow.
 */
export function narrowedTo(left: unknown, reported: unknown): Repetition {
  const text = JSON.stringify(left)
  if (text === JSON.stringify(reported)) return repeated
  const listText = text.length > maxShown ? 'a list too long to show here' : text
  return {
    outcome: 'repeated',
    detail: `Narrowed to ${listText}, which the backup and this entry both allow.`,
  }
}

export function toldBy({ detail, ...entry }: JournalRow): ReportedEntry {
  const { before = {}, after = {} } = JSON.parse(detail)
  return { ...entry, before, after }
}

/** Puts a change of a row unless the row has these values already. */
export function isSame<Row extends object>(before: Row, after: Row): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}
