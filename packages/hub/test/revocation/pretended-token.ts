/** Storage tokens for directories without a key: what the middle part says is taken as verified. */

import {
  asAccountId,
  asHubTokenId,
  asRefUid,
  asRepositoryUid,
  noJournalNumber,
  unixSeconds,
} from '@latchkey/protocol'
import type { Claims } from '@latchkey/token'
import type { VerifyOwnToken } from '../../src/revocation/report/verify-own-token.ts'

export function pretendedToken(claims: Partial<Claims> = {}): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.e30`
}

export const believed: VerifyOwnToken = async (token) => {
  const said = JSON.parse(
    Buffer.from(token.reveal().split('.')[1] ?? '', 'base64url').toString(),
  ) as Partial<Claims>
  return { ok: true, kid: 'kid', claims: { ...standing, ...said } }
}

const standing: Claims = {
  iss: 'https://hub.example',
  aud: 'https://cas.example',
  sub: asAccountId('nobody'),
  client_id: asHubTokenId('none'),
  scope: 'read',
  repo: { type: 'model', id: 'acme/bert', uid: asRepositoryUid('gone') },
  ref: { name: 'refs/heads/main', uid: asRefUid('gone') },
  commit: 'a'.repeat(40),
  as_of: noJournalNumber,
  sees: [],
  iat: unixSeconds(0),
  exp: unixSeconds(0),
  jti: 'one',
}
