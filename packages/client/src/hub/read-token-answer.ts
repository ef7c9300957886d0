/** The answer to a token request, believed only as far as it is checked. */

import {
  isBearerToken,
  isLoopback,
  isPlainHttp,
  isServiceUrl,
  maxAccessTokenLength,
  maxCasUrlLength,
  type Scope,
  Secret,
  type UnixSeconds,
} from '@latchkey/protocol'
import { type ErrorFacts, LatchkeyError } from '../error/latchkey-error.ts'

export interface StorageToken {
  readonly scope: Scope
  readonly accessToken: Secret<'access-token'>
  /** By the clock of the hub. */
  readonly exp: number
  readonly casUrl: string
}

interface TokenExpectation {
  readonly scope: Scope
  readonly hubUrl: string
  readonly allowPlainHttp: boolean
  /** By the clock of the hub. */
  readonly nowSeconds: number
  /** About the request, for the error. */
  readonly facts: ErrorFacts
}

/** Later ones are meant in milliseconds, and would never be refreshed. */
const latestExp = 100_000_000_000

export function readTokenAnswer(
  text: string,
  expected: TokenExpectation,
): StorageToken | LatchkeyError {
  const { accessToken, exp, casUrl } = membersOf(text)
  const { scope, hubUrl, nowSeconds, facts } = expected
  const invalid = (wrong: string) =>
    new LatchkeyError('answer_invalid', `${hubUrl} answers with no token: ${wrong}.`, facts)
  if (!isHeaderSafe(accessToken)) return invalid('accessToken is no bearer token')
  if (!Number.isSafeInteger(exp) || Number(exp) > latestExp) return invalid('exp is not in seconds')
  if (Number(exp) <= nowSeconds) return invalid('exp is not in the future')
  const url = typeof casUrl === 'string' ? casUrl.replace(/\/$/, '') : ''
  const wrong = whatIsWrong(url, expected)
  if (wrong !== undefined) return invalid(`casUrl ${wrong}`)
  return {
    scope,
    accessToken: new Secret('access-token', accessToken),
    exp: Number(exp) as UnixSeconds,
    casUrl: url,
  }
}

function isHeaderSafe(token: unknown): token is string {
  return typeof token === 'string' && token.length <= maxAccessTokenLength && isBearerToken(token)
}

/** A hub far away has no business with what listens on this machine. */
function whatIsWrong(
  url: string,
  { hubUrl, allowPlainHttp }: TokenExpectation,
): string | undefined {
  if (url.length > maxCasUrlLength || !isServiceUrl(url)) return 'is no URL in its normal form'
  if (allowPlainHttp) return undefined
  if (isPlainHttp(url)) return 'is plain http, and allowPlainHttp is not set'
  return isOnThisMachine(url) && !isOnThisMachine(hubUrl)
    ? 'is on this machine, the hub is not'
    : undefined
}

function isOnThisMachine(url: string): boolean {
  return isLoopback(new URL(url).hostname)
}

export function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
