/** The commits that a directory file puts on record for one repository; they only ever add up. */

import {
  type CommitHash,
  isRefusal,
  parseCommitHash,
  type RefName,
  type Refusal,
  refuse,
  shortRefName,
} from '@latchkey/protocol'
import { chunked } from '../columns.ts'
import { newCommitRow, newHolderRow } from '../commits.ts'
import { mistake } from '../read-input.ts'
import type { RefUids, RepositoryPlace } from './apply-refs.ts'
import { type Applying, at } from './applying.ts'
import type { Batch } from './batch.ts'

interface WantedCommit {
  readonly hash: CommitHash
  readonly holders: readonly string[]
}

export async function applyCommits(
  applying: Applying,
  batch: Batch,
  place: RepositoryPlace,
  uids: RefUids,
): Promise<Refusal | undefined> {
  const wanted = wantedCommits(place, uids)
  if (isRefusal(wanted)) return wanted
  const { work, changes } = applying
  const { uid, path } = place.row
  const known = await onRecord(applying, place, wanted)
  for (const { hash, holders } of wanted) {
    const added = holders.filter((holder) => !known.has(`${hash} ${holder}`))
    if (known.has(hash) && added.length === 0) continue
    batch.commits.push(newCommitRow(work, uid, hash))
    for (const holder of added) batch.commit_holders.push(newHolderRow(work, uid, hash, holder))
    if (!place.isNew) changes.push({ what: 'commit', name: `${path}@${hash}`, did: 'recorded' })
  }
  return undefined
}

function wantedCommits(
  { entry, path }: RepositoryPlace,
  uids: RefUids,
): readonly WantedCommit[] | Refusal {
  const wanted = new Map<CommitHash, WantedCommit>()
  for (const [text, names] of Object.entries(entry.commits ?? {})) {
    const here = [...path, 'commits', text]
    const hash = parseCommitHash(text)
    if (hash === undefined) {
      return mistake(here, 'must be a full commit hash: 40 or 64 hexadecimal digits')
    }
    if (wanted.has(hash)) {
      return mistake(here, 'repeats a commit that is named above: keep one of them')
    }
    const holders: string[] = []
    for (const [index, name] of names.entries()) {
      const uid = uids.get(name)
      if (uid === undefined) return at([...here, index], noHolder(name))
      holders.push(uid)
    }
    wanted.set(hash, { hash, holders })
  }
  return Array.from(wanted.values())
}

/** Hashes that are on record, and `hash holder` for each ref that holds one. */
async function onRecord(
  { work }: Applying,
  { row, isNew }: RepositoryPlace,
  wanted: readonly WantedCommit[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  if (isNew) return known
  for (const some of chunked(wanted)) {
    const hashes = some.map(({ hash }) => hash)
    const commits = await work.tables
      .selectFrom('commits')
      .select('hash')
      .where('repository_uid', '=', row.uid)
      .where('hash', 'in', hashes)
      .execute()
    const holders = await work.tables
      .selectFrom('commit_holders')
      .select(['hash', 'ref_uid'])
      .where('repository_uid', '=', row.uid)
      .where('hash', 'in', hashes)
      .execute()
    for (const { hash } of commits) known.add(hash)
    for (const { hash, ref_uid } of holders) known.add(`${hash} ${ref_uid}`)
  }
  return known
}

function noHolder(name: RefName): Refusal {
  return refuse(
    'resource_not_found',
    `There is no ${shortRefName(name)} to hold this commit. Name it in the file too, or leave it out.`,
  )
}
