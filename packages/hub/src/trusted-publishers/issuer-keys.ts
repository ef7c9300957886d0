/** The keys of a platform that signs id tokens, from its discovery document (OpenID Connect Discovery §4). */

import type { Agent } from 'node:http'
import { isLoopback, type UnixSeconds } from '@latchkey/protocol'
import { ask } from '@latchkey/service/http/ask'
import { type KeySource, keptKeys } from '@latchkey/service/http/kept-keys'
import { isPrivateLiteral, lookUpPublic } from '@latchkey/service/http/public-addresses'
import { type CryptoKey, importJWK, type JWK } from 'jose'
import { z } from 'zod'
import type { IssuerSettings } from './issuer-settings.ts'

/** Asymmetric ones alone: with a shared secret, whoever verifies can sign. */
export const idTokenAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA'],
] as const

export interface IssuerKey {
  readonly alg: string
  readonly key: CryptoKey
}

export type IssuerKeys = ReadonlyMap<string, IssuerKey>

const maxBytes = 256 * 1024
const maxKeys = 64
const patienceMs = 5000

export interface IssuerKeysDeps {
  readonly clock: () => UnixSeconds
  readonly onFailure: (issuer: string, error: unknown) => void
}

export function issuerKeys(
  settings: IssuerSettings,
  { clock, onFailure }: IssuerKeysDeps,
): KeySource<IssuerKeys> {
  return keptKeys({
    fetchKeys: () => fetchIssuerKeys(settings),
    clock,
    onFailure: (error) => onFailure(settings.issuer, error),
  })
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string().max(2048) })
const keyList = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(maxKeys) })

async function fetchIssuerKeys(settings: IssuerSettings): Promise<IssuerKeys> {
  const { issuer } = settings
  const signal = AbortSignal.timeout(patienceMs)
  const agents = agentsOf(settings)
  try {
    const read = (url: string) => fetchJson(url, { settings, signal, agents })
    const found = discovery.parse(await read(`${issuer}/.well-known/openid-configuration`))
    if (found.issuer !== issuer) throw new Error('its discovery document names another issuer')
    const { keys } = keyList.parse(await read(found.jwks_uri))
    const usable = await readKeys(keys)
    if (usable.size === 0) throw new Error('it publishes no asymmetric key with an id')
    return usable
  } finally {
    for (const agent of Object.values(agents)) agent.destroy()
  }
}

async function readKeys(list: readonly Readonly<Record<string, unknown>>[]): Promise<IssuerKeys> {
  const keys = new Map<string, IssuerKey>()
  for (const { kid, use = 'sig', alg, ...jwk } of list) {
    if (typeof kid !== 'string' || use !== 'sig' || 'd' in jwk || jwk['kty'] === 'oct') continue
    const algorithm = typeof alg === 'string' ? alg : usualAlgorithm(jwk)
    if (!(idTokenAlgorithms as readonly string[]).includes(algorithm)) continue
    try {
      const key = await importJWK(jwk as JWK, algorithm)
      if (!(key instanceof Uint8Array)) keys.set(kid, { alg: algorithm, key })
    } catch {
      // Another key of the list may be one that we can use.
    }
  }
  return keys
}

function usualAlgorithm({ kty, crv }: Readonly<Record<string, unknown>>): string {
  if (kty === 'RSA') return 'RS256'
  if (kty === 'OKP') return crv === 'Ed25519' ? 'EdDSA' : ''
  return { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' }[String(crv)] ?? ''
}

interface Fetching {
  readonly settings: IssuerSettings
  readonly signal: AbortSignal
  readonly agents: Readonly<Record<'http:' | 'https:', Agent>>
}

/** A redirect is an answer with another status, so it is never followed. */
async function fetchJson(url: string, { settings, signal, agents }: Fetching): Promise<unknown> {
  const { protocol, hostname, username, password } = new URL(url)
  const isSafe = protocol === 'https:' || (settings.allowPlainHttp && isLoopback(hostname))
  if ((protocol !== 'https:' && protocol !== 'http:') || !isSafe || username + password !== '') {
    throw new Error(`${protocol}//${hostname} is not https`)
  }
  if (!allowsPrivate(settings) && isPrivateLiteral(hostname)) {
    throw new Error(`${hostname} is not a public address`)
  }
  // Once alone: another try would open a connection with another agent, which looks up any address.
  const answer = await ask(url, {
    headers: { accept: 'application/json' },
    signal,
    agent: agents[protocol],
  })
  if (answer.status !== 200) {
    answer.discard()
    throw new Error(`${hostname} answers with status ${answer.status}`)
  }
  const body = await answer.read(maxBytes)
  if (body === undefined) throw new Error(`${hostname} sends more than ${maxBytes} bytes`)
  return JSON.parse(body.toString())
}

function allowsPrivate({ allowPrivateAddresses, allowPlainHttp }: IssuerSettings): boolean {
  return allowPrivateAddresses || allowPlainHttp
}

function agentsOf(settings: IssuerSettings): Fetching['agents'] {
  const { Agent: PlainAgent } = process.getBuiltinModule('node:http')
  const { Agent: TlsAgent, globalAgent } = process.getBuiltinModule('node:https')
  const options = allowsPrivate(settings) ? {} : { lookup: lookUpPublic }
  return {
    'http:': new PlainAgent(options),
    'https:': new TlsAgent({ ...globalAgent.options, ...options, keepAlive: false }),
  }
}
