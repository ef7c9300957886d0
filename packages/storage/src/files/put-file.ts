/** `PUT /v1/files`: a file of any length, which the storage cuts and packs itself. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { Shares } from '@latchkey/service/limits/shares'
import type { Sha256 } from '../catalog/sha256.ts'
import { jsonReply, type StorageCall, type StorageHandler } from '../request/asked.ts'
import { contentInvalid } from '../request/refusals.ts'
import { pieceSource } from './piece-source.ts'
import { type FileRegistering, registerFile, type UploadedFile } from './register-file.ts'
import { parseReprDigest } from './repr-digest.ts'
import {
  draftBytesFor,
  type FilePart,
  noPart,
  type PieceStoring,
  storePieces,
} from './store-pieces.ts'

export interface FileUploading extends PieceStoring, FileRegistering {
  /** In bytes of drafts. */
  readonly drafts: Shares
}

export function putFile(uploading: FileUploading): StorageHandler {
  return async (call) => {
    const digest = parseReprDigest(call.header('repr-digest'))
    if (digest === 'invalid') return badDigest
    const uploaded = await putWhole(uploading, call, digest)
    return isRefusal(uploaded) ? uploaded : jsonReply(uploaded)
  }
}

async function putWhole(
  uploading: FileUploading,
  call: StorageCall,
  digest: Sha256 | undefined,
): Promise<UploadedFile | Refusal> {
  const { payer, signal, body } = call
  const release = await uploading.drafts.take(payer, signal, draftBytesFor(body.length))
  if (isRefusal(release)) return release
  const source = pieceSource(body)
  try {
    const part = await storePieces(uploading, call, {
      ...{ source, from: noPart, isKept: false, isWhole: () => true },
      onStored: async () => undefined,
    })
    return isRefusal(part) ? part : await complete(uploading, call, { part, digest })
  } finally {
    source.close()
    release()
  }
}

export async function complete(
  uploading: FileRegistering,
  call: Pick<StorageCall, 'view' | 'place' | 'payer' | 'signal'>,
  { part, digest }: { readonly part: FilePart; readonly digest: Sha256 | undefined },
): Promise<UploadedFile | Refusal> {
  const { file } = part
  if (file === undefined) throw new Error('the file is not whole')
  const sha256 = Buffer.from(file.sha256).toString('hex')
  if (digest !== undefined && digest !== sha256) return otherDigest(sha256)
  return registerFile(uploading, call, { part, file })
}

function otherDigest(sha256: string): Refusal {
  return contentInvalid(
    `The bytes have the SHA-256 ${sha256}, and Repr-Digest names another one. Nothing was registered. Send the file again.`,
  )
}

const badDigest = refuse(
  'bad_request',
  'The Repr-Digest header must be "sha-256=:…:", with the SHA-256 of the whole file in base64.',
)
