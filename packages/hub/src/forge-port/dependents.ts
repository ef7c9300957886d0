/** What may lose content when a ref is deleted: commits on record that it had first, and refs that see its content. */

import { isMoving } from '@latchkey/admin-api'
import {
  type CommitHash,
  isRefusal,
  type RefName,
  type RefUid,
  type Refusal,
  type RepositoryUid,
} from '@latchkey/protocol'
import { chunked } from '../directory/port/columns.ts'
import type { Reading } from '../directory/port/directory.ts'
import type { ForgeDependents, ForgeRef } from './answers.ts'
import type { Asker } from './asker.ts'
import { decideRef } from './decide-ref.ts'
import type { ForgePortParts } from './ports.ts'

export async function dependentsOf(
  wanted: ForgeRef,
  asker: Asker,
  parts: ForgePortParts,
): Promise<ForgeDependents | Refusal> {
  const decided = await decideRef(wanted, asker, parts)
  if (isRefusal(decided)) return decided
  const { repositoryUid, commit, ref } = decided.permit.permitted
  const { uid: refUid } = ref
  const found = await parts.readBeside((tables) => findDependents(tables, repositoryUid, refUid))
  return { repositoryUid, refUid, commit, ...found }
}

async function findDependents(
  tables: Reading,
  repositoryUid: RepositoryUid,
  deleted: RefUid,
): Promise<Pick<ForgeDependents, 'commits' | 'refs'>> {
  const refs = await tables
    .selectFrom('refs')
    .select(['uid', 'name', 'commit_hash', 'from_uid'])
    .where('repository_uid', '=', repositoryUid)
    .execute()
  const forks = forksOf(deleted, refs)
  const commits = await firstHeldBy(tables, repositoryUid, new Set([deleted, ...forks]))
  const hashes = new Set<string>(commits.map(({ hash }) => hash))
  const dependent = refs.filter(
    ({ uid, commit_hash: hash }) => uid !== deleted && (forks.has(uid) || hashes.has(hash)),
  )
  // Tags hold nothing, so nothing depends on one.
  const isTag = !refs.some(({ uid, name }) => uid === deleted && isMoving(name as RefName))
  if (isTag) return { commits: [], refs: [] }
  return { commits, refs: dependent.map(({ name }) => name as RefName) }
}

interface Fork {
  readonly uid: RefUid
  readonly from_uid: RefUid | null
}

/** The refs that were made from it, and from those. */
function forksOf(origin: RefUid, refs: readonly Fork[]): ReadonlySet<RefUid> {
  const byOrigin = Map.groupBy(refs, ({ from_uid: from }) => from)
  const forks = new Set<RefUid>()
  const next = [origin]
  for (let uid = next.pop(); uid !== undefined; uid = next.pop()) {
    for (const fork of byOrigin.get(uid) ?? []) {
      if (forks.has(fork.uid) || fork.uid === origin) continue
      forks.add(fork.uid)
      next.push(fork.uid)
    }
  }
  return forks
}

/** A ref that recorded the commit before has its content from elsewhere. */
async function firstHeldBy(
  tables: Reading,
  repositoryUid: RepositoryUid,
  refUids: ReadonlySet<RefUid>,
): Promise<ForgeDependents['commits']> {
  const commits = new Map<string, { first: number; others: number[] }>()
  for (const some of chunked([...refUids])) {
    const rows = await tables
      .selectFrom('commit_holders')
      .select(['hash', 'recorded_number'])
      .where('ref_uid', 'in', some)
      .execute()
    for (const { hash, recorded_number: number } of rows) {
      const known = commits.get(hash)
      commits.set(hash, { first: Math.min(known?.first ?? number, number), others: [] })
    }
  }
  for (const some of chunked([...commits.keys()])) {
    const rows = await tables
      .selectFrom('commit_holders')
      .select(['hash', 'ref_uid', 'recorded_number'])
      .where('repository_uid', '=', repositoryUid)
      .where('hash', 'in', some)
      .execute()
    for (const { hash, ref_uid: uid, recorded_number: number } of rows) {
      if (!refUids.has(uid)) commits.get(hash)?.others.push(number)
    }
  }
  return [...commits]
    .filter(([, { first, others }]) => others.every((number) => number >= first))
    .map(([hash, { others }]) => ({
      hash: hash as CommitHash,
      isHeldElsewhere: others.length > 0,
    }))
}
