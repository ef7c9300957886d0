import { type Bearer, type Refusal, readBearer, Secret } from '@latchkey/protocol'
import { hashHubToken, parseHubToken } from './hub-token.ts'
import { invalidHubToken, missingHubToken } from './identify-caller.ts'

/** The Authorization headers of a request, read once. */
export interface SentCredential {
  /** Whether there is no such header at all. */
  readonly isAbsent: boolean
  readonly bearer: Bearer
  /** The hash of a bearer credential, well formed or not. */
  readonly hash: string | undefined
}

export function readSent(authorization: readonly string[]): SentCredential {
  const bearer = readBearer(authorization)
  const hash =
    typeof bearer === 'string' ? undefined : hashHubToken(new Secret('hub-token', bearer.token))
  return { isAbsent: authorization.length === 0, bearer, hash }
}

/** Checks the shape and the checksum. Nothing is looked up. */
export function parseCredential(
  { bearer }: SentCredential,
  prefixes: ReadonlySet<string>,
): Secret<'hub-token'> | Refusal {
  if (bearer === 'missing') return missingHubToken()
  if (bearer === 'malformed') return invalidHubToken()
  return parseHubToken(bearer.token, prefixes) ?? invalidHubToken()
}
