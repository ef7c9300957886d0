/** A document that a hub publishes: its public keys, the description of its API. */

import type { Handle } from '@latchkey/service/routes'

/** Serialised once, because every client gets the same bytes. */
export function serveDocument(document: object, cacheControl = 'no-store'): Handle {
  const body = Buffer.from(JSON.stringify(document))
  return () => ({ cacheControl, body })
}
