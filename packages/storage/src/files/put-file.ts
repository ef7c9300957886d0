/** `PUT /v1/files`: a file of any length, which the storage cuts and packs itself. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { Sha256 } from '../catalog/sha256.ts'
import type { UploadedFile } from '../catalog/upload-rows.ts'
import { jsonReply, type StorageCall, type StorageHandler } from '../request/asked.ts'
import { complete } from './complete-file.ts'
import { pieceSource } from './piece-source.ts'
import { parseReprDigest } from './repr-digest.ts'
import { putPart, type ResumableUploading, uploadIdIn } from './resume-upload.ts'
import { noPart, storePieces, takeDraftRoom } from './store-pieces.ts'

/** With `?upload=ID`, the file may come in several requests. */
export function putFile(uploading: ResumableUploading): StorageHandler {
  return async (call) => {
    if (!/^(?:identity)?$/i.test(call.header('content-encoding') ?? '')) return encodedBody
    const digest = parseReprDigest(call.header('repr-digest'))
    if (digest === 'invalid') return badDigest
    const id = uploadIdIn(call.query)
    if (isRefusal(id)) return id
    if (id !== undefined) return putPart(uploading, call, { id, digest })
    if (call.header('content-range') !== undefined) return partWithoutId
    const uploaded = await putWhole(uploading, call, digest)
    return isRefusal(uploaded) ? uploaded : jsonReply(uploaded)
  }
}

/** The bytes would be stored encoded, and sent without the header. */
const encodedBody = refuse(
  'bad_request',
  'The body has a Content-Encoding. The storage keeps bytes as they come: send the file itself, or its compressed form without this header.',
)

/** RFC 9110, section 14.5: the part would be taken for the whole. */
const partWithoutId = refuse(
  'bad_request',
  'A body with Content-Range is a part of a file, and needs the ID of an upload: PUT /v1/files?upload=ID, with an ID of your choice.',
)

async function putWhole(
  uploading: ResumableUploading,
  call: StorageCall,
  digest: Sha256 | undefined,
): Promise<UploadedFile | Refusal> {
  const release = await takeDraftRoom(uploading, call)
  if (isRefusal(release)) return release
  const source = pieceSource(call.body)
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

const badDigest = refuse(
  'bad_request',
  'The Repr-Digest header must be "sha-256=:…:", with the SHA-256 of the whole file in base64.',
)
