/** What the script is made for; the build puts the values in the place of this file. */

import type { Algorithm } from '@latchkey/token'

export interface Settings {
  readonly issuer: string
  readonly casUrl: string
  readonly leewaySeconds: number
  /** By `kid`. */
  readonly keys: Readonly<Record<string, ScriptKey>>
  /** Unix seconds at which the clock stands still, for tests. */
  readonly now: number | null
}

export interface ScriptKey {
  readonly kid: string
  readonly alg: Algorithm
  /** DER in base64. */
  readonly spki: string
}

export declare const settings: Settings
