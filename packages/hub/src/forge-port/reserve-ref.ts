/** A uid for a ref that is about to be made: its content must be stored before the directory has it. */

import { isRefusal, type RefUid, type Refusal, refuse, shortRefName } from '@latchkey/protocol'
import { newId } from '@latchkey/service/random'
import type { ForgeRef, ForgeReserved } from './answers.ts'
import type { Asker } from './asker.ts'
import { decideRef } from './decide-ref.ts'
import { issueFor } from './issue-for.ts'
import type { ForgePortParts } from './ports.ts'

export async function reserveRef(
  wanted: ForgeRef,
  asker: Asker,
  parts: ForgePortParts,
): Promise<ForgeReserved | Refusal> {
  const newUid = newId(parts.work.randomBytes) as RefUid
  const decided = await decideRef({ ...wanted, newUid }, asker, parts)
  if (isRefusal(decided)) return decided
  if (decided.isThere) {
    return refuse('conflict', `${shortRefName(wanted.ref)} exists already. Choose another name.`)
  }
  const token = await issueFor(decided, asker, parts)
  if (isRefusal(token)) return token
  const { repositoryUid, caller } = decided.permit.permitted
  const { accountName: account, accountId } = caller
  return { refUid: newUid, token, repositoryUid, account, accountId }
}
