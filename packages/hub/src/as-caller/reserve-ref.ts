/** A uid for a ref that is about to be made: its content must be stored before the directory has it. */

import {
  isRefusal,
  proposalUid,
  type RefUid,
  type Refusal,
  refuse,
  shortRefName,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import type { RepositoryFacts } from '../permission/access-facts.ts'
import type { ForgeRef, ForgeReserved } from './answers.ts'
import type { Asker } from './asker.ts'
import { decideRef, isReader } from './decide-ref.ts'
import { issueFor } from './issue-for.ts'
import type { ForgePortParts } from './ports.ts'

export async function reserveRef(
  wanted: ForgeRef,
  asker: Asker,
  parts: ForgePortParts,
): Promise<ForgeReserved | Refusal> {
  const uid = newId<RefUid>(parts.work.randomBytes)
  const newUid = (repository: RepositoryFacts) =>
    wanted.proposer === 'caller' && isReader(repository) ? proposalUid(repository.uid, uid) : uid
  const decided = await decideRef({ ...wanted, newUid }, asker, parts)
  if (isRefusal(decided)) return decided
  if (decided.isThere) {
    return refuse('conflict', `${shortRefName(wanted.ref)} exists already. Choose another name.`)
  }
  const token = await issueFor(decided, asker, parts)
  if (isRefusal(token)) return token
  const { repositoryUid, caller, ref } = decided.permit.permitted
  const { accountName: account, accountId } = caller
  return { refUid: ref.uid, token, repositoryUid, account, accountId }
}
