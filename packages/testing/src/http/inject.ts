/** Sends a request to a server over a connection in memory, through the real parser and without a socket. */

import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { duplexPair, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Serve } from '@latchkey/service/http/call'

export interface Injected {
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON. */
  readonly payload?: string | Uint8Array | Readable | object
}

export interface Answered {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly json: () => ReturnType<typeof JSON.parse>
}

export async function inject(serve: Serve, injected: Injected): Promise<Answered> {
  const { method = 'GET', url, payload = '' } = injected
  const [client, server] = duplexPair()
  createServer(serve).emit('connection', server)
  const body = bodyOf(payload)
  const headers = { ...body.headers, ...injected.headers, connection: 'keep-alive' }
  const sent = request({ method, path: url, headers, createConnection: () => client })
  try {
    return await new Promise<Answered>((resolve, reject) => {
      sent.on('error', reject)
      sent.on('response', async (response) => {
        const { statusCode = 0, headers } = response
        const answer = await text(response)
        resolve({ statusCode, headers, body: answer, json: () => JSON.parse(answer) })
      })
      if (body.content instanceof Readable) body.content.pipe(sent)
      else sent.end(body.content)
    })
  } finally {
    client.destroy()
    server.destroy()
  }
}

interface Body {
  readonly headers: Readonly<Record<string, string>>
  readonly content: Buffer | Readable
}

function bodyOf(payload: string | object): Body {
  if (payload instanceof Readable) return { headers: {}, content: payload }
  if (typeof payload === 'object' && !(payload instanceof Uint8Array)) {
    const { headers, content } = bodyOf(JSON.stringify(payload))
    return { headers: { ...headers, 'content-type': 'application/json' }, content }
  }
  const content = Buffer.from(payload)
  const isEmpty = content.length === 0
  return { headers: isEmpty ? {} : { 'content-length': String(content.length) }, content }
}
