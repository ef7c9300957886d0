/** `PUT`, `HEAD` and `DELETE /v1/files?upload=ID`: a file that comes in several requests. */

import { isRefusal, type Refusal, refuse, scopeCovers } from '@latchkey/protocol'
import type { FileUploads } from '../catalog/file-uploads.ts'
import type { Sha256 } from '../catalog/sha256.ts'
import { Terms } from '../catalog/terms.ts'
import type {
  FileUpload,
  UploadedFile,
  UploadName,
  UploadProgress,
} from '../catalog/upload-rows.ts'
import { jsonReply, type StorageCall, type StorageReply } from '../request/asked.ts'
import { contentInvalid, noUpload } from '../request/refusals.ts'
import { complete } from './complete-file.ts'
import { type ContentRange, parseContentRange } from './content-range.ts'
import { bodyUpTo, untilRevoked } from './kept-body.ts'
import { pieceSource } from './piece-source.ts'
import type { FileRegistering } from './register-file.ts'
import {
  type FilePart,
  noPart,
  type PieceStoring,
  storePieces,
  takeDraftRoom,
} from './store-pieces.ts'
import { takenOver, type UploadTurns } from './upload-turns.ts'

export interface ResumableUploading extends PieceStoring, FileRegistering {
  readonly uploads: FileUploads
  readonly turns: UploadTurns
}

/** The name of the upload in the query; undefined where the request has none. */
export function uploadIdIn(query: URLSearchParams): string | undefined | Refusal {
  const [id, second] = query.getAll('upload')
  if (id === undefined) return undefined
  return second === undefined && /^[A-Za-z0-9_-]{1,128}$/.test(id) ? id : badId
}

const badId = refuse(
  'bad_request',
  'The ID of an upload must be given once, as ?upload=ID: 1 to 128 letters, digits, "-" and "_".',
)

export interface ResumedPut {
  readonly id: string
  readonly digest: Sha256 | undefined
}

export async function putPart(
  uploading: ResumableUploading,
  call: StorageCall,
  { id, digest }: ResumedPut,
): Promise<StorageReply | Refusal> {
  const range = parseContentRange(call.header('content-range'))
  if (range === 'invalid') return badContentRange
  const length = lengthOf(range)
  if (length !== undefined && (call.body.length ?? length) !== length) return badLength
  const { stop } = call.body
  return inTurn(uploading, { call, id, stop }, async (ended) => {
    const name = nameOf(call, id)
    const upload = await uploading.uploads.find(call.place, name)
    if (upload?.file !== undefined) return sentAgain(upload.file, digest)
    const offset = upload?.bytes ?? 0
    // All bytes are there already, and the client says so.
    const isEnd = range?.whole === offset && range.start === undefined
    if (range !== undefined && range.start === undefined && !isEnd) return goOnAt(offset)
    if (!isEnd && (range?.start ?? 0) !== offset) return otherOffset(offset)
    const keptCall = {
      ...call,
      body: bodyUpTo(call.body, length),
      signal: untilRevoked(call.signal),
    }
    const done = await storeAndComplete(uploading, keptCall, {
      ...{ name, upload, range, digest },
      waiting: AbortSignal.any([call.signal, ended]),
    })
    // The file can never be whole: the client begins anew.
    if (isRefusal(done) && done.code === 'content_invalid') {
      await uploading.uploads.remove(call.place, name)
    }
    if (isRefusal(done)) return done
    return typeof done === 'number' ? goOnAt(done) : jsonReply(done)
  })
}

/**
 * `HEAD`: how far the upload is. With a token that may write, a request that is under way ends: its client may have lost
 * it.
 */
export async function findUpload(
  uploading: Pick<ResumableUploading, 'uploads' | 'turns'>,
  call: StorageCall,
): Promise<StorageReply | Refusal> {
  const id = uploadIdIn(call.query) ?? badId
  if (isRefusal(id)) return id
  const find = () => uploading.uploads.find(call.place, nameOf(call, id))
  const mayWrite = scopeCovers(call.grant.scope, 'write')
  const found = await (mayWrite ? inTurn(uploading, { call, id }, find) : find())
  if (found === undefined) return noUpload(id)
  const isComplete = found.file === undefined ? '?0' : '?1'
  const headers = ['Upload-Offset', String(found.bytes), 'Upload-Complete', isComplete]
  return { status: 200, headers, body: '' }
}

export async function deleteUpload(
  uploading: Pick<ResumableUploading, 'uploads' | 'turns'>,
  call: StorageCall,
): Promise<StorageReply | Refusal> {
  const id = uploadIdIn(call.query) ?? badId
  if (isRefusal(id)) return id
  const wasThere = await inTurn(uploading, { call, id }, () =>
    uploading.uploads.remove(call.place, nameOf(call, id)),
  )
  if (isRefusal(wasThere)) return wasThere
  return wasThere ? { status: 204, headers: [], body: '' } : noUpload(id)
}

interface TurnOf {
  readonly call: StorageCall
  readonly id: string
  stop?(refusal: Refusal): void
}

function inTurn<Result>(
  { turns }: Pick<ResumableUploading, 'turns'>,
  { call: { place, payer, signal }, id, stop = () => {} }: TurnOf,
  work: (ended: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const key = `${place.refUid} ${payer.account} ${id}`
  return turns.take({ key, stop }, async (ended) => {
    signal.throwIfAborted()
    return work(ended)
  })
}

/** Security boundary: an upload is found by its own account in its own place alone. */
function nameOf({ payer }: Pick<StorageCall, 'payer'>, id: string): UploadName {
  return { account: payer.account, name: id }
}

/** Undefined for a body that is the whole file. */
function lengthOf(range: ContentRange | undefined): number | undefined {
  if (range === undefined) return undefined
  return range.start === undefined ? 0 : range.end - range.start
}

interface PartToStore {
  readonly name: UploadName
  readonly upload: FileUpload | undefined
  readonly range: ContentRange | undefined
  readonly digest: Sha256 | undefined
  /** Aborted when nothing needs to begin any more. */
  readonly waiting: AbortSignal
}

/** Gives the file, or how many bytes of it are stored. */
async function storeAndComplete(
  uploading: ResumableUploading,
  call: StorageCall,
  toStore: PartToStore,
): Promise<UploadedFile | number | Refusal> {
  const { name, upload, range, digest, waiting } = toStore
  const { uploads } = uploading
  const { body, place } = call
  if (upload === undefined) {
    const refused = await uploads.begin(place, name, range?.whole ?? body.length ?? 0)
    if (refused !== undefined) return refused
  }
  const release = await takeDraftRoom(uploading, { ...call, signal: waiting }).catch(refusalIn)
  if (isRefusal(release)) return release
  const source = pieceSource(body)
  const offset = upload?.bytes ?? 0
  let from = offset
  try {
    const progress = upload && (await uploads.findProgress(place, name))
    const storedBytes = progress?.state?.bytes ?? 0
    // A request at another process was faster.
    if (storedBytes !== offset) return otherOffset(storedBytes)
    const part = await storePieces(uploading, call, {
      ...{ source, from: partOf(progress), isKept: true },
      isWhole: () => range === undefined || offset + source.bytes === range.whole,
      async onStored({ state, terms }) {
        const saved = { from, state, terms: joined(terms) }
        from = state?.bytes ?? 0
        return uploads.save(place, name, saved)
      },
    })
    if (isRefusal(part)) return part
    if (source.broken !== undefined) throw source.broken.reason
    if (part.file === undefined) return part.state?.bytes ?? 0
    const file = await complete(uploading, call, { part, digest })
    return isRefusal(file) ? file : ((await uploads.finish(place, name, file)) ?? file)
  } finally {
    source.close()
    release()
  }
}

/** A wait ends with the refusal that aborted it. */
function refusalIn(error: unknown): Refusal {
  if (error !== takenOver) throw error
  return takenOver
}

function partOf(progress: UploadProgress | undefined): FilePart {
  return progress === undefined
    ? noPart
    : { state: progress.state, terms: [progress.terms], file: undefined }
}

function joined(terms: readonly Terms[]): Terms {
  return new Terms(Buffer.concat(terms.map(({ packed }) => packed)))
}

function goOnAt(offset: number): StorageReply {
  return { status: 202, headers: ['Upload-Offset', String(offset)], body: '' }
}

function sentAgain(file: UploadedFile, digest: Sha256 | undefined): StorageReply | Refusal {
  return digest === undefined || digest === file.sha256 ? jsonReply(file) : otherFile
}

const otherFile = contentInvalid(
  'This upload is complete, and its file has another SHA-256 than Repr-Digest says. Send the other file with a new ID.',
)

function otherOffset(offset: number): Refusal {
  return refuse(
    'upload_offset_mismatch',
    `The storage has ${offset} bytes of this upload, and the body begins elsewhere. Send the rest with "Content-Range: bytes ${offset}-LAST/LENGTH".`,
    { uploadOffset: offset },
  )
}

const badContentRange = refuse(
  'bad_request',
  'Content-Range must be "bytes FIRST-LAST/LENGTH", with * for a length that is not known yet; or "bytes */LENGTH" without a body, to ask for the state.',
)

const badLength = refuse(
  'bad_request',
  'Content-Length and Content-Range name different lengths. Send exactly the bytes of the range.',
)
