/** Registers a file whose content the storage itself has cut and packed. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type Shares, withShare } from '@latchkey/service/limits/shares'
import type { WholeFile } from '@latchkey/xet/pieces'
import type { ShardCaps } from '../bounds/shard-caps.ts'
import type { Catalog, Registration } from '../catalog/catalog.ts'
import { parseSha256 } from '../catalog/sha256.ts'
import { Terms } from '../catalog/terms.ts'
import type { UploadedFile } from '../catalog/upload-rows.ts'
import type { StorageCall } from '../request/asked.ts'
import { contentInvalid, tooManyPieces } from '../request/refusals.ts'
import type { FilePart } from './store-pieces.ts'

export interface FileRegistering {
  readonly catalog: Pick<Catalog, 'findXorbs' | 'addFiles' | 'noteSha256s'>
  readonly shardCaps: ShardCaps
  readonly registerSlots: Shares
}

/** A file of this storage may have more xorbs than a shard: they are stored already, and each was counted. */
const xorbsPerShard = 8

export async function registerFile(
  { catalog, shardCaps, registerSlots }: FileRegistering,
  { view, place, payer, signal }: Pick<StorageCall, 'view' | 'place' | 'payer' | 'signal'>,
  { part: { state, terms: parts }, file }: { readonly part: FilePart; readonly file: WholeFile },
): Promise<UploadedFile | Refusal> {
  const uploaded = { ...uploadedFile(file), size: state?.bytes ?? 0 }
  const terms = new Terms(Buffer.concat(parts.map(({ packed }) => packed)))
  const hashes = terms.xorbs()
  const maxXorbs = xorbsPerShard * shardCaps.xorbs
  if (hashes.length > maxXorbs) return tooManyPieces
  const firstChunk = state?.firstChunk
  const found = await catalog.findXorbs(view, hashes)
  const missing = hashes.find((hash) => !found.has(hash))
  if (missing !== undefined) return removed
  const { hash, sha256, size } = uploaded
  const registration: Registration = {
    files: [{ hash, bytes: size, terms, firstChunk, sha256 }],
    xorbs: [...found.values()],
    chunks: firstChunk === undefined ? [] : [{ hash: firstChunk, xorb: terms.at(0).xorb }],
  }
  const added = await withShare(registerSlots.take(payer, signal), () =>
    catalog.addFiles(place, registration),
  )
  if (isRefusal(added)) return added
  // The ref may have the file from a client that said no SHA-256.
  if (!added) {
    const { repositoryUid, refUid } = place
    await catalog.noteSha256s(repositoryUid, [{ refUid, hash, sha256 }])
  }
  return uploaded
}

function uploadedFile({ hash, sha256: bytes }: WholeFile): Omit<UploadedFile, 'size'> {
  const sha256 = parseSha256(Buffer.from(bytes).toString('hex'))
  if (sha256 === undefined) throw new Error('this is no SHA-256')
  return { hash, sha256 }
}

const removed = contentInvalid(
  'Content of this file was removed while it was uploaded, and nothing was registered. Upload it again.',
)
