/** The answer to a token request, believed only as far as it is checked. */

import {
  isLoopback,
  isPlainHttp,
  isServiceUrl,
  longestAccessToken,
  longestCasUrl,
  readBearer,
  type Scope,
  Secret,
  type UnixSeconds,
} from '@latchkey/protocol'

export interface StorageToken {
  readonly scope: Scope
  readonly accessToken: Secret<'access-token'>
  /** By the clock of the hub. */
  readonly exp: UnixSeconds
  readonly casUrl: string
}

export interface Expected {
  readonly scope: Scope
  readonly hubUrl: string
  readonly allowPlainHttp: boolean
  /** By the clock of the hub. */
  readonly nowSeconds: number
}

/** Later ones are meant in milliseconds, and would never be refreshed. */
const latestExp = 100_000_000_000

/** Gives the token, or what is wrong with the answer. */
export function readTokenAnswer(text: string, expected: Expected): StorageToken | string {
  const { accessToken, exp, casUrl } = membersOf(text)
  const { scope, nowSeconds } = expected
  if (!isHeaderSafe(accessToken)) return 'accessToken is missing, too long or no bearer token'
  if (!Number.isSafeInteger(exp)) return 'exp is not a whole number of seconds'
  if (Number(exp) > latestExp) return 'exp is not in seconds'
  if (Number(exp) <= nowSeconds) return 'exp is not in the future'
  const url = readCasUrl(casUrl, expected)
  if ('wrong' in url) return url.wrong
  return {
    scope,
    accessToken: new Secret('access-token', accessToken),
    exp: Number(exp) as UnixSeconds,
    casUrl: url.url,
  }
}

function membersOf(text: string): { accessToken?: unknown; exp?: unknown; casUrl?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function isHeaderSafe(token: unknown): token is string {
  if (typeof token !== 'string' || token.length > longestAccessToken) return false
  return typeof readBearer([`Bearer ${token}`]) === 'object'
}

/** A hub far away has no business with what listens on this machine. */
function readCasUrl(
  given: unknown,
  { hubUrl, allowPlainHttp }: Expected,
): { url: string } | { wrong: string } {
  if (typeof given !== 'string' || given.length > longestCasUrl) {
    return { wrong: 'casUrl is missing or too long' }
  }
  const url = given.replace(/\/$/, '')
  if (!isServiceUrl(url)) return { wrong: 'casUrl is no http or https URL in its normal form' }
  if (allowPlainHttp) return { url }
  if (isPlainHttp(url)) {
    return { wrong: 'casUrl is plain http, which shows the token on the way (allowPlainHttp)' }
  }
  if (isOnThisMachine(url) && !isOnThisMachine(hubUrl)) {
    return { wrong: 'casUrl is an address of this machine, but the hub is another one' }
  }
  return { url }
}

function isOnThisMachine(url: string): boolean {
  return isLoopback(new URL(url).hostname)
}
