/** Where attacks on a gate of these tests are sent to, and with which tokens. */

import { bearer, prefix } from '../gate/storage-tokens.ts'
import type { Setting } from './attacks.ts'

const forged = `${bearer({ scope: 'write' }).slice(0, -8)}AAAAAAAA`

const prefixes = {
  own: prefix,
  'other repository': prefix.replace('bertuid', 'otheruid'),
  'other ref': prefix.replace('mainuid', 'otheruid'),
}

const bearers = { read: bearer(), write: bearer({ scope: 'write' }), forged, none: undefined }

export const ofTheseTests: Setting = {
  prefix: (place) => prefixes[place],
  bearer: (token) => bearers[token],
}
