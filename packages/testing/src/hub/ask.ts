/** Asks a hub for a storage token, as any client would. */

import { request } from 'node:http'
import { connect } from 'node:net'
import { Secret, type TokenResponse } from '@latchkey/protocol'
import { headerPairs } from '@latchkey/service/http/headers'
import type { World } from './world.ts'

export interface Asked {
  /** The account and name of a hub token, such as `writer/write`; or the token itself; or none. */
  readonly as?: string | Secret<'hub-token'> | undefined
  readonly method?: string
  readonly headers?: Record<string, string>
}

export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Record<string, unknown> & Partial<TokenResponse>
}

/** `what` is `read models/acme/bert@main`, or a raw path beginning with a slash. */
export async function ask(world: World, what: string, asked: Asked = {}): Promise<Told> {
  const response = await fetch(world.hub.url + pathOf(what), {
    method: asked.method ?? 'GET',
    // After a jump of the clock, a hub ends connections that others believe to be open.
    headers: { connection: 'close', ...authorization(world, asked.as), ...asked.headers },
  })
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, text, json: text.startsWith('{') ? JSON.parse(text) : {} }
}

export function pathOf(what: string): string {
  const [, scope, repo, revision] = /^(\w+) ([^@]+)@(.*)$/s.exec(what) ?? []
  if (revision === undefined) return what
  return `/api/${repo}/storage-${scope}-token/${encodeURIComponent(revision)}`
}

export function hubToken(world: World, who: string): string {
  const token = world.tokens[who]
  if (token === undefined) throw new Error(`there is no hub token ${who} in this world`)
  return token.reveal()
}

/** Sends target and headers (name and value in turn) as they are; `fetch` would tidy them up. */
export function askExactly(
  world: World,
  target: string,
  { method = 'GET', headers = [] }: { method?: string; headers?: readonly string[] } = {},
): Promise<Told> {
  const { hostname, port } = new URL(world.hub.url)
  const all = ['Host', 'hub.example', 'Connection', 'close', ...headers]
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: target, method, headers: all, agent: false })
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      const { rawHeaders, statusCode = 0 } = response
      const answered = new Headers(headerPairs(rawHeaders))
      const json = text.startsWith('{') ? JSON.parse(text) : {}
      resolve({ status: statusCode, headers: answered, text, json })
    })
    sent.end()
  })
}

export function bearer(world: World, who: string): string {
  return `Bearer ${hubToken(world, who)}`
}

/** The claims of an issued token, unverified. */
export function claimsOf(told: Told): Record<string, unknown> {
  const payload = told.json.accessToken?.split('.')[1] ?? ''
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

/** Sends bytes as they are and gives back everything the hub says until it closes or falls silent after an answer. */
export function sendRaw(
  world: { readonly hub: { readonly url: string } },
  text: string,
  quietMs = 300,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(world.hub.url).port), '127.0.0.1')
    let received = ''
    // A busy machine may take long to begin its answer, but not to go on with it.
    socket.setTimeout(5000, () => socket.end())
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      socket.setTimeout(quietMs)
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
    socket.write(text)
  })
}

function authorization(world: World, as: Asked['as']): Record<string, string> {
  if (as === undefined) return {}
  const token = as instanceof Secret ? as.reveal() : hubToken(world, as)
  return { authorization: `Bearer ${token}` }
}
