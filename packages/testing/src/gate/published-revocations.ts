/** The documents of a hub whose clock and keys are those of the fixtures. */

import {
  type MemoryRevocations,
  memoryRevocations as memoryRevocationsOf,
  type PublishedRevocations,
  publishedRevocations as publishedRevocationsOf,
} from '@latchkey/gate/testing'
import type { Clock } from '@latchkey/protocol'
import { generateSigningKey, type SigningKey } from '@latchkey/token/signing'
import { issuer, movedClock } from './storage-tokens.ts'

export type { MemoryRevocations, PublishedRevocations } from '@latchkey/gate/testing'

/** Signs heads, and never tokens. */
export const headKey: SigningKey = await generateSigningKey('ES256')

export function publishedRevocations(clock: Clock = movedClock().now): PublishedRevocations {
  return publishedRevocationsOf({ clock, issuer, key: headKey })
}

export function memoryRevocations(): MemoryRevocations {
  return memoryRevocationsOf(publishedRevocations())
}
