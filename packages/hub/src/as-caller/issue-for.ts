/** Storage tokens for what the forge itself does for a caller. */

import { type CommitHash, isRefusal, type RefName, type Refusal } from '@latchkey/protocol'
import { type Granted, mintToken, signToken } from '../issue/issue-token.ts'
import type { ForgeStorageToken } from './answers.ts'
import type { Asker } from './asker.ts'
import type { ForgePortParts } from './ports.ts'

/** Written down like every token that is issued. */
export async function issueFor(
  granted: Granted,
  { credentials: { now }, requestId, clientAddress }: Asker,
  { issuing, writeDown }: ForgePortParts,
): Promise<ForgeStorageToken | Refusal> {
  const started = performance.now()
  const { repo, ref, scope, caller } = granted.permit.permitted
  const result = signToken(await mintToken(granted, issuing), now, issuing)
  const path = { repo, revision: revisionOf(ref.name), scope, word: 'storage' } as const
  const milliseconds = performance.now() - started
  writeDown.outcome({ result, caller }, path, { requestId, milliseconds, address: clientAddress() })
  if (isRefusal(result)) return result
  const { casUrl, accessToken, exp: expiresAt } = result
  return { refUid: ref.uid, casUrl, accessToken, expiresAt }
}

export function revisionOf(name: RefName | CommitHash) {
  return name.startsWith('refs/')
    ? ({ kind: 'ref', name: name as RefName } as const)
    : ({ kind: 'commit', hash: name as CommitHash } as const)
}
