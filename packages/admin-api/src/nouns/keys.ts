/** The keys that sign storage tokens and heads of revocation lists, by name; their material never leaves the store. */

import { z } from 'zod'
import { moment, pageOf, paging } from '../input/words.ts'
import { says } from './says.ts'

const purpose = z.enum(['tokens', 'revocations'])

const key = z.object({
  kid: z.string().describe('The RFC 7638 thumbprint, as in a token header.'),
  purpose: purpose.describe('The use of the key: storage tokens, or heads of revocation lists.'),
  alg: z.string(),
  state: z.enum(['published', 'signing', 'retiring']),
  since: moment.describe('Since when it is in this state.'),
  next: z
    .enum(['signs', 'retires', 'gets a successor', 'is removed'])
    .optional()
    .describe('The next step.'),
  nextAt: moment.optional().describe('The time of the next step, if a hub runs.'),
  createdAt: moment,
})

const stepsOutput = z.object({
  done: z.array(z.string()).describe('The steps that were taken.'),
  signing: z.string().optional().describe('The kid of the key that signs now.'),
  next: z.array(z.string()).describe('The next steps, with their times.'),
  cost: z.string().optional().describe('The effects of removing a key immediately.'),
})

/** Not read like other names: one in some thousands begins as a token does. */
const kid = z
  .string()
  .regex(
    /^[\w-]{43}$/,
    'must be the kid of a key, as the list shows it: 43 letters, digits, "-" or "_"',
  )

const compromised = z
  .boolean()
  .default(false)
  .describe('The key has leaked: remove it immediately, and invalidate its signatures.')

export const listKeys = says({
  summary: 'List the signing keys, their states and their next steps, without key material.',
  input: z.strictObject({ ...paging }),
  output: pageOf(key),
})

export const rotateKeys = says({
  summary:
    'Publish a new key, or let the published key sign once every verifier has it. Shows the time of each step.',
  input: z.strictObject({
    use: purpose.default('tokens').describe('The use of the keys: tokens or revocations.'),
    compromised: compromised.describe(
      'The keys have leaked: remove all keys of this use immediately, invalidate their signatures, and sign with a new key.',
    ),
  }),
  output: stepsOutput,
})

export const retireKey = says({
  summary:
    'Withdraw a published key, replace a signing key, or remove a retiring key; fails while that is not safe.',
  input: z.strictObject({
    kid: kid.describe('The kid of the key, as the list shows it.'),
    compromised,
  }),
  output: stepsOutput,
})
