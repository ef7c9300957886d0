/** The credential of a request: a hub token that is well formed, none, or a refusal. */

import { type Refusal, readBearer, Secret } from '@latchkey/protocol'
import { hashHubToken, parseHubToken } from './hub-token.ts'
import { invalidHubToken, missingHubToken } from './identify-caller.ts'

/** Checks the shape and the checksum. Nothing is looked up. */
export function readCredential(
  authorization: readonly string[],
  prefixes: ReadonlySet<string>,
): Secret<'hub-token'> | Refusal {
  const bearer = readBearer(authorization)
  if (bearer === 'missing') return missingHubToken()
  if (bearer === 'malformed') return invalidHubToken()
  return parseHubToken(bearer.token, prefixes) ?? invalidHubToken()
}

/** The hash of what `readCredential` would check; undefined without exactly one bearer credential. */
export function hashBearer(authorization: readonly string[]): string | undefined {
  const bearer = readBearer(authorization)
  return typeof bearer === 'string'
    ? undefined
    : hashHubToken(new Secret('hub-token', bearer.token))
}
