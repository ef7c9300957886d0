/** Asks a hub that runs as a process of its own. */

import { connect } from 'node:net'
import { pathOf } from './ask.ts'

export interface Heard {
  readonly status: number
  /** Status line, headers and body: everything that came back. */
  readonly everything: string
  readonly body: string
}

export interface Sent {
  readonly token?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** `what` is `read models/acme/bert@main`, or a raw path beginning with a slash. */
export async function askHub(url: string, what: string, sent: Sent = {}): Promise<Heard> {
  const { token, method = 'GET', headers = {}, body } = sent
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(url + pathOf(what), {
    method,
    headers: { ...bearer, ...headers },
    body: body ?? null,
  })
  const text = await response.text()
  const told = Array.from(response.headers, ([name, value]) => `${name}: ${value}`).join('\n')
  return { status: response.status, everything: `${told}\n\n${text}`, body: text }
}

/** Sends bytes as they are; gives back everything until the hub closes or falls silent. */
export function sendBytes(url: string, bytes: string, quietMs = 200): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let received = ''
    socket.setTimeout(quietMs, () => socket.destroy())
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.on('close', () => resolve(received))
    socket.on('error', (error) => ('code' in error ? resolve(received) : reject(error)))
    socket.write(bytes, 'latin1')
  })
}

export function accessTokenOf({ status, body }: Heard): string {
  const { accessToken } = JSON.parse(body) as { accessToken?: string }
  if (status !== 200 || accessToken === undefined) throw new Error(`no token, but ${status}`)
  return accessToken
}

/** The id of the key that a hub publishes. */
export async function publishedKids(url: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/.well-known/jwks.json`)
  const { keys } = (await response.json()) as { keys: readonly { kid: string }[] }
  return keys.map(({ kid }) => kid)
}
