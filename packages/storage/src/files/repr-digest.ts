/** Reads the Repr-Digest header (RFC 9530): the SHA-256 that the client expects. */

import { parseSha256, type Sha256 } from '../catalog/sha256.ts'

/** Undefined without a SHA-256; other algorithms are passed over. */
export function parseReprDigest(header: string | undefined): Sha256 | undefined | 'invalid' {
  const members = (header ?? '').split(',').map((member) => member.trim())
  const own = members.filter((member) => /^sha-256\s*=/i.test(member))
  const [last] = own.slice(-1)
  if (last === undefined) return undefined
  const [, word = ''] = /^sha-256=:([A-Za-z0-9+/]{43}=):$/.exec(last) ?? []
  return parseSha256(Buffer.from(word, 'base64').toString('hex')) ?? 'invalid'
}
