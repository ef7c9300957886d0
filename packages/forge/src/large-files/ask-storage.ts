/** Asks the storage about large files, with a storage token of the caller. */

import type { IssuedStorageToken } from '@latchkey/admin-api/forge-port'
import { isRefusal, type Refusal, refuse, statusOf } from '@latchkey/protocol'
import { ask as askOnce, type HttpAnswer, reasonOf, tlsReason } from '@latchkey/service/http/ask'
import { parseJson } from '@latchkey/service/http/parse-json'
import type { BlobRange } from '../git/index.ts'
import { type Members, membersOf } from '../words/members.ts'
import type { Pointer } from '../words/pointer.ts'

/** The hash under which the storage has a file. */
export type FileHash = string & { readonly brand: 'file-hash' }

/** Enough of a storage token to ask the storage. */
export type StorageAccess = Pick<IssuedStorageToken, 'casUrl' | 'accessToken'>

export interface AskStorage {
  /** Undefined if the token sees no file whose bytes have this SHA-256. */
  find(
    token: StorageAccess,
    file: Pointer,
    options?: { readonly signal?: AbortSignal },
  ): Promise<FileHash | Refusal | undefined>
  /** The bytes of a file, as they are read. Breaks off with an error if the storage does. */
  read(
    token: StorageAccess,
    hash: FileHash,
    request: ContentRequest,
  ): Promise<AsyncIterable<Uint8Array> | Refusal>
  /**
   * Stores a file under the ref of a write token. The storage hashes it, and registers it only with this SHA-256; the parts
   * must have this size.
   */
  write(token: StorageAccess, file: Pointer, content: ContentUpload): Promise<FileHash | Refusal>
  /**
   * Gives the files to the ref of a write token, so that they stay when the ref they came from goes. It must see them, or
   * one of the other tokens must.
   */
  adopt(
    token: StorageAccess,
    files: readonly FileHash[],
    through?: readonly StorageAccess[],
  ): Promise<Refusal | undefined>
}

export interface ContentRequest {
  readonly range: BlobRange | undefined
  /** Ends the reading. */
  readonly signal: AbortSignal
}

export interface ContentUpload {
  readonly parts: AsyncIterable<Uint8Array>
  /** Ends the upload. */
  readonly signal: AbortSignal
}

/** Longer than the storage lets a request wait for a hash. */
const patienceMs = 30_000
const maxAdopted = 1000
/** Longer than any answer about one question. */
const maxAnswerBytes = 256 * 1024
const nothing = Buffer.alloc(0)
const tooMuchAtOnce = statusOf.content_invalid

export function askStorage(): AskStorage {
  return {
    async find(token, { oid, sizeBytes }, { signal } = {}) {
      const late = AbortSignal.timeout(patienceMs)
      const answer = await ask(token, `/v1/files/by-sha256/${oid}?size=${sizeBytes}`, {
        signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      })
      if (isRefusal(answer)) return answer
      if (answer.status === 404) return undefined
      if (!answer.isOk) return notAnswered(answer)
      const { fileHash } = await membersIn(answer)
      return isFileHash(fileHash) ? fileHash : unreachable('no hash of a file')
    },
    async read(token, hash, { range, signal }) {
      const headers = range && { range: `bytes=${range.start}-${range.end - 1}` }
      // Once it has begun, it goes on for as long as the caller reads.
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), patienceMs)
      const ending = AbortSignal.any([signal, late.signal])
      const answer = await ask(token, `/v1/files/${hash}`, { headers, signal: ending })
      clearTimeout(timer)
      if (isRefusal(answer)) return answer
      return answer.isOk ? answer.body : notAnswered(answer)
    },
    async write(token, { oid, sizeBytes }, { parts, signal }) {
      const headers = {
        'content-type': 'application/octet-stream',
        'content-length': String(sizeBytes),
        'repr-digest': `sha-256=:${Buffer.from(oid, 'hex').toString('base64')}:`,
      }
      const over = new AbortController()
      const sent = keepingFault(parts)
      try {
        const ending = AbortSignal.any([signal, over.signal])
        const sending = { method: 'PUT', headers, body: sent.parts, signal: ending } as const
        const answer = await ask(token, '/v1/files', sending)
        if (isRefusal(answer)) {
          sent.throwFault()
          return answer
        }
        if (!answer.isOk) return notStored(answer)
        const { hash, sha256, size } = await membersIn(answer)
        const isStored = isFileHash(hash) && sha256 === oid && size === sizeBytes
        return isStored ? hash : unreachable('another file was stored')
      } finally {
        // Nobody reads the rest of the body.
        over.abort()
      }
    },
    async adopt(token, files, through = []) {
      const others = through.map(({ accessToken }) => accessToken.reveal())
      const groups: (readonly FileHash[])[] = []
      for (let at = 0; at < files.length; at += maxAdopted) {
        groups.push(files.slice(at, at + maxAdopted))
      }
      for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
        const body = JSON.stringify({ files: group, through: others })
        const answer = await ask(token, '/v1/shards/adopt', { method: 'POST', body })
        if (isRefusal(answer)) return answer
        if (answer.isOk) {
          await answer.read(maxAnswerBytes)
          continue
        }
        // Large files have so many parts that one request takes fewer of them.
        if (answer.status !== tooMuchAtOnce || group.length === 1) return notAnswered(answer)
        const half = Math.ceil(group.length / 2)
        groups.unshift(group.slice(0, half), group.slice(half))
      }
      return undefined
    },
  }
}

/** A refusal where the storage cannot be reached. */
async function ask(
  { casUrl, accessToken }: StorageAccess,
  path: string,
  { headers: more, signal = AbortSignal.timeout(patienceMs), ...init }: Asking = {},
): Promise<HttpAnswer | Refusal> {
  const headers = {
    authorization: `Bearer ${accessToken.reveal()}`,
    'content-type': 'application/json',
    ...more,
  }
  try {
    const answer = await askOnce(casUrl + path, { ...init, headers, signal })
    // What it says of a refusal is not for the caller of the forge.
    if (!answer.isOk) answer.discard()
    return answer
  } catch (error) {
    const reason = reasonOf(error, `no answer within ${patienceMs / 1000} s`)
    return unreachable(`${new URL(casUrl).origin}: ${tlsReason(reason) ?? reason}`)
  }
}

interface Asking {
  readonly method?: 'POST' | 'PUT'
  readonly body?: string | AsyncIterable<Uint8Array>
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal
}

async function membersIn(answer: HttpAnswer): Promise<Members> {
  return membersOf(await parseJson((await answer.read(maxAnswerBytes)) ?? nothing)) ?? {}
}

function isFileHash(value: unknown): value is FileHash {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

/** Parts of a body, and the error that ended them: a question that fails tells of its connection alone. */
function keepingFault(parts: AsyncIterable<Uint8Array>) {
  let fault: { readonly error: unknown } | undefined
  return {
    parts: (async function* () {
      try {
        yield* parts
      } catch (error) {
        fault = { error }
        throw error
      }
    })(),
    throwFault() {
      if (fault !== undefined) throw fault.error
    },
  }
}

function notStored(answer: HttpAnswer): Refusal {
  if (answer.status === statusOf.content_invalid) {
    const detail =
      'The bytes have another SHA-256 than this large file, so nothing was stored. Send the file itself.'
    return refuse('content_invalid', detail)
  }
  if (answer.status === statusOf.request_timeout) {
    const detail = 'The body came too slowly. Nothing was stored; send it again.'
    return refuse('request_timeout', detail)
  }
  if (answer.status === statusOf.storage_full) {
    return refuse('storage_full', 'The disk of the storage is full; nothing was stored.')
  }
  if (answer.status === statusOf.not_ready) {
    const detail = 'The storage cannot store files at the moment. Try again in a few seconds.'
    return refuse('not_ready', detail, { retryAfterSeconds: 5 })
  }
  if (answer.status === 401 || answer.status === 403) {
    const detail = 'Your permission to upload this was revoked or has expired. Request it again.'
    return refuse('permission_denied', detail)
  }
  return notAnswered(answer)
}

function notAnswered(answer: HttpAnswer): Refusal {
  if (answer.status === 401 || answer.status === 403) {
    const detail = 'Your permission to read this was revoked or has expired. Request it again.'
    return refuse('permission_denied', detail)
  }
  if (answer.status === 404) {
    return refuse('entry_not_found', 'The storage does not show this content any more.')
  }
  if (answer.status === 503) {
    const detail = 'The storage is still computing the hash of this file. Try again in a moment.'
    return refuse('not_ready', detail, { retryAfterSeconds: 1 })
  }
  if (answer.status === 429) {
    const detail =
      'The storage has too many requests of this account in progress. Try again in a moment.'
    return refuse('rate_limited', detail, { retryAfterSeconds: 5 })
  }
  if (answer.status === 413) {
    const detail =
      'The repository has no room left for these large files. Uploads and pull requests of accounts that may not write have half of it. Ask the owners to delete refs that are not needed.'
    return refuse('quota_exceeded', detail)
  }
  return unreachable(`status ${answer.status}`)
}

function unreachable(reason: string): Refusal {
  return refuse('upstream_unreachable', 'The storage sent an unexpected response. Try again.', {
    reason,
  })
}
