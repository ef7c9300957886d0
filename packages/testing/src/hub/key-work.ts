/** What verbs that rotate keys work with in a test: a master key of its own, and the usual settings. */

import { keyMaker, keyWorkOf } from '@latchkey/hub/management'
import { Secret } from '@latchkey/protocol'

const masterKey = new Secret('master-key', Buffer.alloc(32, 7).toString('base64'))

export function testKeyWork(load: Parameters<typeof keyMaker>[0] = () => masterKey) {
  const token = { algorithm: 'ES256', lifetimeSeconds: 900 } as const
  return keyWorkOf({ token, keys: { rotationDays: 90 } }, keyMaker(load))
}
