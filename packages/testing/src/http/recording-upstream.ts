/** An upstream that remembers every request it got, whole, and on which connection it came. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AtEnd, serving } from '../gate/gateway.ts'

export interface RecordedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  readonly rawTrailers: readonly string[]
  readonly body: Buffer
  /** The number of the connection, from 0. */
  readonly connection: number
}

export interface RecordingUpstream {
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  connections(): number
}

export type AnswerRequest = (request: RecordedRequest, response: ServerResponse) => void

export async function recordingUpstream(
  answer: AnswerRequest = (_request, response) => response.end('from the storage'),
  atEnd?: AtEnd,
): Promise<RecordingUpstream> {
  const requests: RecordedRequest[] = []
  const known = new Map<unknown, number>()
  const { url, server } = await serving(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const recorded = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      rawTrailers: request.rawTrailers,
      body: Buffer.concat(chunks),
      connection: known.get(request.socket) ?? -1,
    }
    requests.push(recorded)
    answer(recorded, response)
  }, atEnd)
  server.on('connection', (socket) => known.set(socket, known.size))
  return { url, requests, connections: () => known.size }
}
