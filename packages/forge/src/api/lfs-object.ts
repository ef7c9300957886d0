/** `GET /{repository}.git/info/lfs/objects/{oid}`: a large file, for whoever got the address from a batch. */

import { type RepoRef, refuse } from '@latchkey/protocol'
import type { Handle } from '../handler/exchange.ts'
import { openProof } from '../large-files/proof.ts'
import type { LfsOid } from '../words/pointer.ts'
import { storedFile } from './large-file.ts'
import { asDownload } from './user-bytes.ts'

interface Asked {
  readonly repo: RepoRef | undefined
  readonly oid: LfsOid
}

export const lfsObject: Handle<Asked> = async (
  exchange,
  { repo, oid },
  { seal, clock, storage },
) => {
  const [proof = ''] = exchange.query.get('proof') ?? []
  const opened = repo && openProof(seal, { repo, oid }, { proof, clock })
  if (opened === undefined) return notGood
  const { token, hash, size } = opened
  const headers = ['ETag', `"${oid}"`, ...asDownload(oid)]
  return storedFile(exchange, storage, { token, hash, pointer: { oid, sizeBytes: size }, headers })
}

const notGood = refuse(
  'blob_url_invalid',
  'This address is over, or this hub has not made it. Ask for the large file again.',
)
