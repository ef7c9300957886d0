/** As much of fetch as the client needs, over the one HTTP caller of our processes. */

import { Readable } from 'node:stream'
import type { FetchAnswer, FetchInit } from '@latchkey/client/token-client'
import { ask, type HttpQuestion } from '@latchkey/service/http/ask'

export interface NodeAnswer extends FetchAnswer {
  readonly ok: boolean
  readonly statusText: string
  /** For a body that is not needed. A short one is read, so that the connection can be used again. */
  discard(): void
}

/** Redirects are not followed, and nothing is unpacked. */
export async function nodeFetch(url: string, init: FetchInit): Promise<NodeAnswer> {
  const { method = 'GET', body, signal } = init
  refuseOtherBodies(method, body)
  const headers = { ...Object.fromEntries(init.headers), ...framing(init) }
  const answer = await ask(url, { method, headers, body, signal })
  const { status, statusText, isOk: ok, discard } = answer
  const hasNone = method === 'HEAD' || status === 204
  // Unread, it would hold its connection.
  if (hasNone) discard()
  let stream: ReadableStream<Uint8Array> | undefined
  return {
    ...{ status, statusText, ok, discard },
    headers: { get: (name) => answer.header(name) ?? null },
    get body() {
      if (hasNone) return null
      stream ??= Readable.toWeb(answer.body as Readable) as ReadableStream<Uint8Array>
      return stream
    },
  }
}

/** Node would frame a stream by its method, and a DELETE not at all. */
function framing({ body, headers }: FetchInit): Record<string, string> {
  const hasLength = headers.some(([name]) => name === 'content-length')
  return body instanceof ReadableStream && !hasLength ? { 'transfer-encoding': 'chunked' } : {}
}

function refuseOtherBodies(
  method: string,
  body: FetchInit['body'],
): asserts body is HttpQuestion['body'] {
  if (body == null) return
  const mayHave = method !== 'GET' && method !== 'HEAD'
  const isBytes = body instanceof Uint8Array || body instanceof ReadableStream
  if (mayHave && (isBytes || typeof body === 'string')) return
  throw new TypeError('a body is text, bytes or a stream of bytes, and GET and HEAD have none')
}
