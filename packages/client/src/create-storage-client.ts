/** A client of one repository and revision, for one identity, over the platform's fetch. */

import { createTokenClient, type TokenClient } from './create-token-client.ts'
import type { StorageClientOptions } from './options/settle-options.ts'
import { countBytes } from './storage/count-bytes.ts'
import { readHeaders, type StorageRequestInit } from './storage/storage-request.ts'

export interface StorageClient extends Pick<TokenClient<Response>, 'token' | 'close'> {
  /** Below casUrl, with the least token that will do. Gives the storage's answer, whatever its status. */
  fetch(path: string, init?: StorageRequestInit): Promise<Response>
}

export function createStorageClient({
  fetch = globalThis.fetch,
  ...options
}: StorageClientOptions): StorageClient {
  const { token, send, close } = createTokenClient({
    ...options,
    // Browsers refuse their own fetch when it is called as a method of another object.
    fetch: (url, init) => fetch(url, init),
  })
  return {
    token,
    async fetch(path, { onDownloadProgress, ...init } = {}) {
      const response = await send(path, { ...init, headers: readHeaders(init) })
      return watched(response, onDownloadProgress)
    },
    close,
  }
}

function watched(
  response: Response,
  onDownloadProgress: StorageRequestInit['onDownloadProgress'],
): Response {
  const { body, headers } = response
  if (onDownloadProgress === undefined || body === null) return response
  const length = headers.get('content-length')
  // The length of what is compressed says nothing about what comes out.
  const total = length === null || headers.has('content-encoding') ? undefined : Number(length)
  return new Response(countBytes(body, total, onDownloadProgress).stream, response)
}
