/** What a gate is made from. */

import type { Clock, ScopeRules, SlashForm } from '@latchkey/protocol'
import type { KeySet } from '@latchkey/token'
import type { Grant } from '../grant/grant.ts'
import type { KeySource } from '../keys/key-source.ts'
import type { Isolation, Locate } from '../place/locate.ts'
import type { WithoutNews } from '../revocations/revocation-judge.ts'
import type { RevocationSource } from '../revocations/revocation-source.ts'

export type GateOptions = TrustOptions & PlaceOptions & OtherOptions

/** Whose tokens are accepted: those of a hub, whose keys are fetched, or those signed with given keys. */
export type TrustOptions =
  | {
      /** Where the keys are; https, unless it is a loopback address. */
      readonly hubUrl: string
      /** The tokens' `iss`; the hub's URL unless the hub calls itself otherwise. */
      readonly issuer?: string
      /** Fetches keys over a network on which others could replace them. */
      readonly allowPlainHttp?: boolean
      /** Told why keys could not be fetched; the gate goes on with those it has. By default it is printed. */
      readonly onKeyFailure?: (error: unknown) => void
      /** How often the hub is asked which tokens were taken back, once polling has begun: 1 to 30, by default 5. */
      readonly pollSeconds?: number
      /** Told why that could not be asked, and again only when the reason changes. By default it is printed. */
      readonly onRevocationFailure?: (error: unknown) => void
    }
  | {
      readonly keys: KeySet | KeySource
      readonly issuer: string
      /** Which tokens have been taken back; left out, a token is good until it expires. */
      readonly revocations?: RevocationSource
    }

/** For which storage, and how its requests say what they address. */
export type PlaceOptions =
  /** As the hub has it; with `{repo}` and `{ref}` every request names both. */
  | { readonly casUrl: string; readonly isolation?: Isolation }
  | { readonly audience: string; readonly locate: Locate }
  | { readonly audience: string; readonly isolation: Isolation }

export interface OtherOptions {
  readonly rules?: ScopeRules
  /** Slashes in keys that pass on unchanged: `%2F`, and one at the end. By default such paths are refused. */
  readonly allowPaths?: readonly SlashForm[]
  /** How far the clocks of hub and gate may be apart, and how long after `exp` a request may still begin: 0 to 60. */
  readonly leewaySeconds?: number
  /** Forged tokens a minute from one address, after which its unseen tokens are verified in a queue; 0 is no limit. */
  readonly failuresPerMinute?: number
  /** What happens when the hub has been silent for a minute: requests are refused (by default), or admitted. */
  readonly withoutNews?: WithoutNews
  /** Asked on every request, also for tokens that were seen before. */
  readonly isStillGood?: (grant: Grant) => boolean | Promise<boolean>
  readonly clock?: Clock
}
