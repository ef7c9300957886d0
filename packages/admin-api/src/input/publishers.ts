/** Conditions on the claims of an id token, and the platforms whose claims the hub knows. */

import { isServiceUrl } from '@latchkey/protocol'
import { z } from 'zod'
import { checked, refPattern } from './words.ts'

export const publisherPresets = ['github', 'gitlab', 'other'] as const

export type PublisherPreset = (typeof publisherPresets)[number]

export const publisherPreset = z.enum(publisherPresets)

export const maxPublisherSeconds = 3600
const minPublisherSeconds = 60
const maxConditions = 32
const maxClaimLength = 512

/** Visible ASCII: two texts that look alike are the same text. */
const condition = checked(
  (text) => text.length <= maxClaimLength && /^[A-Za-z][\w.:/-]{0,63}=[!-~]+$/.test(text),
  `must be a claim and its exact value, such as repository_id=74: at most ${maxClaimLength} characters, without spaces`,
)

export const claimConditions = z.array(condition).min(1).max(maxConditions)

export const publisherIssuer = checked(
  isServiceUrl,
  'must be the issuer as the id token names it: a URL in its normal form, without trailing slash',
)

export const publisherRefs = z.array(refPattern).min(1).max(maxConditions)

export const publisherSeconds = z.coerce
  .number()
  .int()
  .min(minPublisherSeconds)
  .max(maxPublisherSeconds)

export const publisherLabel = checked(
  (text) => /^[ -~]{1,96}$/.test(text),
  'must be 1 to 96 characters that can be printed',
)

export const publisherContents = z.enum(['read', 'write'])

export const maxPublishers = 64

const maxPayloadLength = 8192

export const idTokenPayload = checked(
  (text) => text.length <= maxPayloadLength && isJsonObject(text),
  `must be the claims of an id token: a JSON object of at most ${maxPayloadLength} characters`,
)

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
