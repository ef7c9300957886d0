/** A client that sends request lines and headers exactly as it is told. */

import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Asking {
  readonly method?: string
  readonly path: string
  /** In Host; that of casUrl unless told. */
  readonly host?: string
  /** Names and values in turn, repeated headers repeated. */
  readonly headers?: readonly string[]
  /** Sent with its length. */
  readonly body?: Buffer
  /** Sent with whatever framing the headers announce. */
  readonly unframed?: Buffer
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Connections stay open between requests, as those of real clients do. */
export const keepAlive = new Agent({ keepAlive: true, maxSockets: 4 })

export function ask(url: string, asking: Asking): Promise<Answered> {
  const { method = 'GET', path, host = 'cas.example', headers = [], body, unframed } = asking
  const { hostname, port } = new URL(url)
  const length = body === undefined ? [] : ['Content-Length', String(body.length)]
  const all = ['Host', host, ...headers, ...length]
  return new Promise((resolve, reject) => {
    const asked = request({ agent: keepAlive, hostname, port, method, path, headers: all })
    asked.once('error', reject)
    asked.once('response', async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
    })
    asked.end(body ?? unframed)
  })
}
