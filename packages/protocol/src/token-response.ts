/** The answer to a token request, and the limits that both ends may rely on. */

import type { UnixSeconds } from './time.ts'

export interface TokenResponse {
  readonly accessToken: string
  readonly exp: UnixSeconds
  readonly casUrl: string
}

/** spec: Limits. What every reader accepts. */
export const longestAccessToken = 64_000
export const longestCasUrl = 64_000

/** spec: Limits. How long before `exp` a client should ask again. */
export const refreshBufferSeconds = 30
