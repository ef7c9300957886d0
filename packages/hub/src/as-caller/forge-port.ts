/** A hub as a forge beside it sees it. Its decisions are those of token requests. */

import { type CommitHash, noCommit, type RefName, type RepositoryUid } from '@latchkey/protocol'
import { deleteExpiredUploads } from '../verbs/expired-uploads.ts'
import { markAsHeld, unmarkHeld } from '../verbs/held-by-forge.ts'
import { findRepositoryByUid } from '../verbs/repository-rows.ts'
import type { ForgePort } from './answers.ts'
import { askAs } from './asker.ts'
import { changeAs } from './changes.ts'
import { deletedAmong } from './deleted-among.ts'
import { dropReserved, forgeOrigin } from './drop-reserved.ts'
import type { ForgePortParts } from './ports.ts'
import { answerAs } from './questions.ts'
import { refsIn } from './readable-refs.ts'
import { openUpload, uploadTokens } from './uploads.ts'

export function forgePort(parts: ForgePortParts): ForgePort {
  return {
    asking(request) {
      const asker = askAs(request, parts)
      return {
        payer: asker.payer,
        ...answerAs(asker, parts),
        ...changeAs(asker, parts),
        openUpload: (target) => openUpload(target, asker, parts),
        uploadTokens: (repo) => uploadTokens(repo, asker, parts),
      }
    },
    refsOf: (uid) => allRefsOf(uid, parts),
    dropReserved: (uid, refUid) => dropReserved(uid, refUid, parts),
    expireUploads: () =>
      deleteExpiredUploads(parts.work.directory, { origin: forgeOrigin, now: parts.clock() }),
    deletedAmong: (uids) => parts.readBeside((tables) => deletedAmong(tables, uids)),
    hold: (uids) => markAsHeld(parts.work.directory, uids),
    release: (uid) => unmarkHeld(parts.work.directory, uid),
  }
}

async function allRefsOf(
  uid: RepositoryUid,
  { readBeside }: ForgePortParts,
): Promise<ReadonlyMap<RefName, CommitHash> | undefined> {
  const rows = await readBeside(async (tables) => {
    const isThere = (await findRepositoryByUid(tables, uid)) !== undefined
    return isThere ? refsIn(tables, uid) : undefined
  })
  const withCommit = rows?.filter(({ commit }) => commit !== noCommit)
  return withCommit && new Map(withCommit.map(({ name, commit }) => [name, commit as CommitHash]))
}
