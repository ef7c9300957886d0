/** A hub token as somebody gave it: what its letters mean is the hub's business. */

import { Secret } from '@latchkey/protocol'

/** Undefined for what no hub gives out, or no header could carry. */
export function parseHubToken(text: string): Secret<'hub-token'> | undefined {
  return isOneWord(text) ? new Secret('hub-token', text) : undefined
}

/** The same for what renews one. */
export function parseRefreshToken(text: string): Secret<'refresh-token'> | undefined {
  return isOneWord(text) ? new Secret('refresh-token', text) : undefined
}

function isOneWord(text: string): boolean {
  return /^[\w-]{1,200}$/.test(text)
}
