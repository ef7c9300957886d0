/** Asks the storage about large files, with a storage token of the caller. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { membersOf } from '../encoding/members.ts'
import type { StorageToken } from '../hub-port.ts'
import type { Pointer } from '../large/pointer.ts'

/** The hash under which the storage has a file. */
export type FileHash = string & { readonly brand: 'file-hash' }

export interface AskStorage {
  /** Undefined if the token sees no file whose bytes have this SHA-256. */
  find(token: StorageToken, file: Pointer): Promise<FileHash | Refusal | undefined>
  /** Gives the files to the ref of a write token, so that they stay when the ref they came from goes. */
  adopt(token: StorageToken, files: readonly FileHash[]): Promise<Refusal | undefined>
}

/** Longer than the storage lets a request wait for a hash. */
const patienceMs = 30_000
const mostAdopted = 1000

export function askStorage(): AskStorage {
  return {
    async find(token, { oid, sizeBytes }) {
      const answer = await ask(token, `/v1/files/by-sha256/${oid}?size=${sizeBytes}`)
      if (answer?.status === 404) return undefined
      if (!answer?.ok) return notAnswered(answer)
      const { fileHash } = membersOf(await answer.json()) ?? {}
      const isHash = typeof fileHash === 'string' && /^[0-9a-f]{64}$/.test(fileHash)
      return isHash ? (fileHash as FileHash) : notAnswered(undefined)
    },
    async adopt(token, files) {
      for (let at = 0; at < files.length; at += mostAdopted) {
        const body = JSON.stringify({ files: files.slice(at, at + mostAdopted), through: [] })
        const answer = await ask(token, '/v1/shards/adopt', { method: 'POST', body })
        if (!answer?.ok) return notAnswered(answer)
        await answer.arrayBuffer()
      }
      return undefined
    },
  }
}

/** Undefined where the storage cannot be reached. */
async function ask(
  { casUrl, accessToken }: StorageToken,
  path: string,
  init: RequestInit = {},
): Promise<Response | undefined> {
  const headers = {
    authorization: `Bearer ${accessToken.reveal()}`,
    'content-type': 'application/json',
  }
  const signal = AbortSignal.timeout(patienceMs)
  try {
    return await fetch(casUrl + path, { ...init, headers, signal, redirect: 'error' })
  } catch {
    return undefined
  }
}

function notAnswered(answer: Response | undefined): Refusal {
  if (answer?.status === 503) {
    const detail = 'The storage is still computing the hash of this file. Try again in a moment.'
    return refuse('not_ready', detail, { retryAfterSeconds: 1 })
  }
  if (answer?.status === 413) {
    return refuse('quota_exceeded', 'The repository has no room left for these large files.')
  }
  return refuse('upstream_unreachable', 'The storage does not answer as it should. Try again.', {
    reason: `status ${answer?.status}`,
  })
}
