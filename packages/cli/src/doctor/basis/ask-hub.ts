import type { HubSettings } from '@latchkey/hub'
import { ask as askOnce, reasonOf } from '@latchkey/service/http/ask'
import { localUrl, urlOf } from '../../configuration/addresses.ts'
import { isObject, jsonIn, membersOf, textOf } from '../../reading/members-of.ts'

export type ExaminedAnswer =
  /** Its port is chosen at each start. */
  | { readonly kind: 'unknown address' }
  | { readonly kind: 'away' | 'silent'; readonly url: string; readonly reason: string }
  /** Something answers there that is no hub. */
  | { readonly kind: 'stranger'; readonly url: string }
  | {
      readonly kind: 'answers'
      readonly url: string
      readonly isReady: boolean
      /** Why it is not ready, in its own words. */
      readonly detail: string | undefined
      /** `ready` or `down`; undefined where it runs none. */
      readonly storage: string | undefined
      readonly forge: string | undefined
      readonly version: string | undefined
      /** How far its clock is ahead of this machine's. */
      readonly aheadMs: number | undefined
    }

export async function askHub(
  { host, port, operations }: HubSettings,
  nowMs: () => number,
): Promise<ExaminedAnswer> {
  const watched = operations.port === undefined ? { host, port } : { ...operations }
  if (port === 0 || watched.port === 0 || watched.port === undefined) {
    return { kind: 'unknown address' }
  }
  const url = localUrl(urlOf(host, port))
  const watchedUrl = localUrl(urlOf(watched.host, watched.port))
  const askedAt = nowMs()
  const health = await ask(`${watchedUrl}/healthz`)
  if ('reason' in health) {
    return { kind: health.isAway ? 'away' : 'silent', url: watchedUrl, reason: health.reason }
  }
  const answeredAt = nowMs()
  const ready = await ask(`${watchedUrl}/readyz`)
  const document = await ask(`${url}/openapi.json`)
  const version =
    'json' in document ? sentenceOf(membersOf(document.json?.['info'])['version']) : undefined
  if (health.json?.['status'] !== 'ok' || 'reason' in ready)
    return { kind: 'stranger', url: watchedUrl }
  return {
    kind: 'answers',
    url: watchedUrl,
    isReady: ready.status === 200,
    detail: sentenceOf(ready.json?.['detail']),
    storage: textOf(ready.json?.['storage']),
    forge: textOf(ready.json?.['forge']),
    version,
    aheadMs: aheadOf(health, askedAt, answeredAt),
  }
}

/** The date has whole seconds and was set somewhere between question and answer: what lies within says nothing. */
function aheadOf({ dateMs }: Asked, askedAt: number, answeredAt: number): number | undefined {
  if (dateMs === undefined) return undefined
  if (dateMs > answeredAt) return dateMs - answeredAt
  return Math.min(0, dateMs + 1000 - askedAt)
}

/** The server may be another program, with any response. */
function sentenceOf(value: unknown): string | undefined {
  return textOf(value)?.slice(0, 300)
}

interface Asked {
  readonly status: number
  /** Undefined where the answer is no JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined
  /** By the clock of the service, in milliseconds since 1970; whole seconds. */
  readonly dateMs: number | undefined
}

interface NotAnswered {
  /** `ECONNREFUSED`, or that it took too long. */
  readonly reason: string
  /** No server listens at the address. */
  readonly isAway: boolean
}

const patienceMs = 5000

/** Many times the longest document of a hub; what answers with more is none. */
const maxResponseBytes = 4 * 1024 * 1024

export async function ask(url: string): Promise<Asked | NotAnswered> {
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const response = await askOnce(url, { signal })
    const body = await response.read(maxResponseBytes)
    const date = Date.parse(response.header('date') ?? '')
    return {
      status: response.status,
      json: objectIn(body?.toString('utf8') ?? ''),
      dateMs: Number.isNaN(date) ? undefined : date,
    }
  } catch (error) {
    const reason = reasonOf(error, `no answer within ${patienceMs / 1000} s`)
    return { reason, isAway: reason === 'ECONNREFUSED' }
  }
}

function objectIn(text: string): Asked['json'] {
  const json = jsonIn(text)
  return isObject(json) ? json : undefined
}
