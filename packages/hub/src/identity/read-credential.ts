/** The credential of a request: a hub token that is well formed, none, or a refusal. */

import { type Refusal, readBearer, type Secret } from '@latchkey/protocol'
import { parseHubToken } from './hub-token.ts'
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
