/** Keys for other purposes, made from the master key: it stays the only one to be kept. */

import { hkdfSync } from 'node:crypto'
import { Secret } from '@latchkey/protocol'
import type { MasterKey } from './master-key.ts'

export function deriveBlobUrlKey(masterKey: MasterKey): Secret<'blob-url-key'> {
  const secret = Buffer.from(masterKey.reveal(), 'base64')
  const derived = hkdfSync('sha256', secret, '', 'latchkey blob urls', 32)
  return new Secret('blob-url-key', Buffer.from(derived).toString('base64'))
}
