/**
 * Makes the storage calls of transfers, over any HTTP function: the command has another one than a
 * page.
 */

import type { DownloadCalls } from '../download/download-calls.ts'
import type { UploadCalls } from '../upload/upload-calls.ts'

export interface StorageQuestion {
  readonly method?: 'GET' | 'HEAD' | 'POST'
  /** The scope of the token. */
  readonly scope?: 'write'
  readonly headers?: Readonly<Record<string, string>>
  /** The body. */
  readonly parts?: readonly Uint8Array[]
  /** Whether a 404 is an answer. */
  readonly mayBeMissing?: boolean
}

export interface StorageAnswer {
  readonly headers: { get(name: string): string | null }
  /** Empty where parts were sent. */
  readonly bytes: Uint8Array
}

/** Undefined for what is missing and may be; any other "no" is thrown. */
export type AskStorage = (
  path: string,
  question: StorageQuestion,
) => Promise<StorageAnswer | undefined>

/** With a token that may write. One token is enough: it may read as well. */
export function uploadCallsOver(ask: AskStorage): UploadCalls {
  const read = { scope: 'write', mayBeMissing: true } as const
  const send = async (path: string, parts: readonly Uint8Array[]) => {
    await ask(path, { method: 'POST', scope: 'write', parts })
  }
  return {
    findChunk: async (chunk) => (await ask(`/v1/chunks/default-merkledb/${chunk}`, read))?.bytes,
    async hasFile(file) {
      const answer = await ask(`/v1/files/${file}`, { ...read, method: 'HEAD' })
      // A file of another ref is deleted with that ref, so it is registered for this one as well.
      return answer?.headers.get('x-latchkey-registered') === 'own'
    },
    sendXorb: (xorb, parts) => send(`/v1/xorbs/default/${xorb}`, parts),
    sendShard: (shard) => send('/v1/shards', [shard]),
  }
}

/** The token opens the answer that names URLs, and goes no further. */
export function reconstructOver(
  ask: AskStorage,
  readStorageUrl: () => Promise<string>,
): DownloadCalls['reconstruct'] {
  return async (file, bytes) => {
    const headers = bytes === undefined ? {} : { range: `bytes=${bytes.start}-${bytes.end}` }
    const answer = await ask(`/v1/reconstructions/${file}`, { headers })
    return { storageUrl: await readStorageUrl(), answer: jsonIn(answer?.bytes) }
  }
}

/** Undefined for invalid JSON, which a download refuses. */
export function jsonIn(bytes: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
