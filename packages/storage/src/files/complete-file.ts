/** Registers a file whose content is stored, if it is the one that the client has. */

import type { Refusal } from '@latchkey/protocol'
import type { Sha256 } from '../catalog/sha256.ts'
import type { UploadedFile } from '../catalog/upload-rows.ts'
import type { StorageCall } from '../request/asked.ts'
import { contentInvalid } from '../request/refusals.ts'
import { type FileRegistering, registerFile } from './register-file.ts'
import type { FilePart } from './store-pieces.ts'

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
