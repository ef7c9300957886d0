/** A document that a hub publishes: its public keys, the description of its API. */

import type { Handle } from '@latchkey/service/routes'
import { jwksOf } from '@latchkey/token/signing'
import type { KeyRing } from '../keys/key-ring.ts'
import type { KeysOfPurpose } from '../keys/live-ring.ts'
import { keyCacheSeconds } from '../keys/waits.ts'

/** Serialised once, because every client gets the same bytes. */
export function serveDocument(document: object, cacheControl = 'no-store'): Handle {
  const body = Buffer.from(JSON.stringify(document))
  return () => ({ cacheControl, body })
}

/** Keys change while the hub runs, so the document is made for every request. */
export function serveKeys({ follow }: Pick<KeyRing, 'follow'>, keys: KeysOfPurpose): Handle {
  const cacheControl = `public, max-age=${keyCacheSeconds}`
  return async () => {
    await follow()
    return { cacheControl, body: JSON.stringify(jwksOf(keys.published)) }
  }
}
