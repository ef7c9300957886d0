/** A hub as a service beside it sees it. Its decisions are those of token requests. */

import type { CallerPort, CallerQuestions } from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  noCommit,
  type RefName,
  type RefUid,
  type RepositoryUid,
} from '@latchkey/protocol'
import { sql } from 'kysely'
import { chunked } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import { deleteExpiredUploads } from '../verbs/record-commits.ts'
import { markAsHeld, unmarkHeld } from '../verbs/refuse-losing.ts'
import { findRepositoryByUid, withNewEpoch } from '../verbs/repository-rows.ts'
import { aboutContent } from './about-content.ts'
import { askAs, type LinkedRequest } from './asker.ts'
import { changeAs, unaskedOrigin } from './changes.ts'
import type { AsCallerDeps } from './deps.ts'
import { answerAs } from './questions.ts'
import { refsIn } from './readable-refs.ts'
import { openUpload, uploadTokens } from './uploads.ts'

/** Does nothing if the ref exists. A deleted repository took its reserved refs with it. */
async function dropReserved(
  uid: RepositoryUid,
  refUid: RefUid,
  { work: { directory }, clock }: AsCallerDeps,
): Promise<void> {
  await directory.change(async ({ tables, number, putAs }) => {
    const repository = await findRepositoryByUid(tables, uid)
    const found = await tables
      .selectFrom('refs')
      .select('uid')
      .where('uid', '=', refUid)
      .executeTakeFirst()
    if (repository === undefined || found !== undefined) return
    const never = {
      ...{ uid: refUid, repository_uid: uid, name: `refs/latchkey/dropped/${refUid}` },
      ...{ commit_hash: noCommit, from_name: null, from_uid: null },
      ...{ forked_at: null, forked_number: null, proposer_id: null, created_at: clock() },
    }
    // The storage learns of removals from entries of refs that are deleted.
    const put = putAs(unaskedOrigin)
    await put([{ thing: 'ref', after: never, repository }])
    await put(withNewEpoch([{ thing: 'ref', before: never, repository }], repository, number))
  })
}

export function actAsCaller(parts: AsCallerDeps): CallerPort {
  return {
    asking: (request) => questionsOf(request, parts),
    refsOf: (uid, only) => allRefsOf(uid, parts, only),
    dropReserved: (uid, refUid) => dropReserved(uid, refUid, parts),
    expireUploads: () =>
      deleteExpiredUploads(parts.work.directory, { origin: unaskedOrigin, now: parts.clock() }),
    deletedAmong: (uids) => parts.readBeside((tables) => deletedAmong(tables, uids)),
    hold: (uids) => markAsHeld(parts.work.directory, uids),
    release: (uid) => unmarkHeld(parts.work.directory, uid),
  }
}

export function questionsOf(request: LinkedRequest, parts: AsCallerDeps): CallerQuestions {
  const { ticket } = request
  const asker = askAs(request, parts)
  const questions: CallerQuestions = {
    payer: asker.payer,
    ...answerAs(asker, parts),
    ...changeAs(asker, parts),
    openUpload: (target) => openUpload(target, asker, parts),
    uploadTokens: (repo) => uploadTokens(repo, asker, parts),
  }
  return ticket === undefined ? questions : aboutContent(questions)
}

async function allRefsOf(
  uid: RepositoryUid,
  { readBeside }: AsCallerDeps,
  only: RefName | undefined,
): Promise<ReadonlyMap<RefName, CommitHash> | undefined> {
  const rows = await readBeside(async (tables) => {
    const isThere = (await findRepositoryByUid(tables, uid)) !== undefined
    return isThere ? refsIn(tables, uid, only) : undefined
  })
  const withCommit = rows?.filter(({ commit }) => commit !== noCommit)
  return withCommit && new Map(withCommit.map(({ name, commit }) => [name, commit as CommitHash]))
}

/**
 * A directory that knows nothing of a repository is no reason to remove its files: it may be the wrong one, or of an old backup.
 * Only an entry that says so is one.
 */
async function deletedAmong(
  tables: Reading,
  uids: readonly RepositoryUid[],
): Promise<readonly RepositoryUid[]> {
  const deleted: RepositoryUid[] = []
  for (const some of chunked(uids)) {
    const rows = await tables
      .selectFrom('repositories')
      .select('uid')
      .where('uid', 'in', some)
      .execute()
    const there = new Set(rows.map(({ uid }) => uid))
    const missing = some.filter((uid) => !there.has(uid))
    if (missing.length === 0) continue
    const entries = await tables
      .selectFrom('journal')
      .select('repository_uid')
      .distinct()
      .where('thing', '=', 'repository')
      .where('did', '=', sql.lit('deleted'))
      .where('repository_uid', 'in', missing)
      .execute()
    deleted.push(...entries.flatMap(({ repository_uid: uid }) => uid ?? []))
  }
  return deleted
}
