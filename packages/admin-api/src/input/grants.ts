/** Reads the grants of a hub token as people write them. */

import { isName, parseRepoRef } from '@latchkey/protocol'
import { z } from 'zod'
import { checked, parsed, refPattern } from './words.ts'

export const maxGrants = 64
export const maxGrantPatterns = 64

/** Every request weighs each of them. */
const maxPatterns = 256

const on = checked(
  (text) => text === '*' || isName(/^(.*)\/\*$/.exec(text)?.[1] ?? '') || isRepository(text),
  'must be a repository such as models/acme/bert, a whole namespace such as acme/*, or *',
)

export const grant = z.strictObject({
  on,
  contents: z.enum(['read', 'write']),
  refs: z.array(refPattern).min(1).max(maxGrantPatterns).exactOptional(),
})

export const grants = z
  .array(grant)
  .max(maxGrants)
  .refine((all) => patternsIn(all) <= maxPatterns, `must have at most ${maxPatterns} refs in all`)

function patternsIn(all: readonly { readonly refs?: readonly string[] }[]): number {
  return all.reduce((sum, { refs = [] }) => sum + refs.length, 0)
}

/** ISO 8601 with its zone: a time without one would mean something else on every machine. */
const zoned = z.iso.datetime({ offset: true })

export const expiry = parsed(
  readExpiry,
  'must be a time with its zone, such as 2027-01-01T00:00:00Z, or never',
)

/** Null is never. */
export type Expiry = { readonly at: number | null }

function readExpiry(text: string): Expiry | undefined {
  if (text === 'never') return { at: null }
  if (!zoned.safeParse(text).success) return undefined
  return { at: Math.floor(Date.parse(text) / 1000) }
}

function isRepository(text: string): boolean {
  return parseRepoRef(text) !== undefined
}
