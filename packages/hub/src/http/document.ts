/** A document that a hub publishes: its public keys, the description of its API. */

import type { Handle } from '@latchkey/service/http/serve-routes'
import { jwksOf } from '@latchkey/token/signing'
import type { KeyRing } from '../keys/key-ring.ts'
import type { KeysOfPurpose } from '../keys/live-ring.ts'
import { keyCacheSeconds } from '../keys/waits.ts'

/** Made once, because every client gets the same bytes; at the first request, because most hubs get none. */
export function serveDocument(make: () => object, cacheControl = 'no-store'): Handle {
  let body: Buffer | undefined
  return () => {
    body ??= Buffer.from(JSON.stringify(make()))
    return { cacheControl, body }
  }
}

/** Keys change while the hub runs, so the document is made for every request. */
export function serveKeys({ follow }: Pick<KeyRing, 'follow'>, keys: KeysOfPurpose): Handle {
  const cacheControl = `public, max-age=${keyCacheSeconds}`
  return async () => {
    await follow()
    return { cacheControl, body: JSON.stringify(jwksOf(keys.published)) }
  }
}
