/** The answers of the library, with which a test compares those of the script. */

import type { Claims, InvalidToken } from '@latchkey/token'
import { grantOf, identityHeaders } from '../../../packages/gate/src/grant/grant.ts'
import { tokenInvalid } from '../../../packages/gate/src/token/token-refusals.ts'

export function readIdentity(claims: Claims): readonly string[] {
  return identityHeaders(grantOf(claims, ''))
}

export function invalidDetail(reason: InvalidToken): string {
  return tokenInvalid(reason).detail
}
