/** Lists are answered in pages, so that no answer grows without bound. */

import { z } from 'zod'
import { looksSecret, tokenIsNoName } from './secret-shape.ts'

const defaultPageLength = 100
export const longestPage = 1000

/** The members that every list takes. */
export const paging = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(longestPage)
    .default(defaultPageLength)
    .describe(`How many entries to answer with at most, up to ${longestPage}.`),
  after: z
    .string()
    .max(512)
    .refine((text) => !looksSecret(text), { message: tokenIsNoName })
    .optional()
    .describe('Continue after this entry: the "next" of the page before.'),
}

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item).describe('The entries of this page, in order.'),
    total: z.number().int().describe('How many entries there are on all pages.'),
    next: z.string().optional().describe('Pass it as "after" to read the next page.'),
  })
}
