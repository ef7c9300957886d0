/** What may lose content when a ref is deleted, for a caller who may delete it. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { findDependents } from '../verbs/dependents.ts'
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
  const { commits, refs } = await parts.readBeside((tables) =>
    findDependents(tables, repositoryUid, [{ uid: refUid, name: wanted.ref }]),
  )
  return { repositoryUid, refUid, commit, commits, refs }
}
