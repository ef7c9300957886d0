/** The keys that sign storage tokens and heads of revocation lists, by name; their material never leaves the store. */

import { z } from 'zod'
import { moment, pageOf, paging } from '../input/words.ts'
import { says } from './says.ts'

const purpose = z.enum(['tokens', 'revocations'])

const key = z.object({
  kid: z.string().describe('The RFC 7638 thumbprint, as in a token header.'),
  purpose: purpose.describe('What it signs: storage tokens, or the heads of revocation lists.'),
  alg: z.string(),
  state: z.enum(['published', 'signing', 'retiring']),
  since: moment.describe('Since when it is in this state.'),
  next: z
    .enum(['signs', 'retires', 'gets a successor', 'is removed'])
    .optional()
    .describe('What happens to it next.'),
  nextAt: moment.optional().describe('When that happens, where a hub runs.'),
  createdAt: moment,
})

const taken = z.object({
  done: z.array(z.string()).describe('What happened to which key.'),
  signing: z.string().optional().describe('The kid of the key that signs now.'),
  next: z.array(z.string()).describe('What happens to which key next, and when.'),
  cost: z.string().optional().describe('What it costs that a key left at once.'),
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
  .describe('The key is in other hands: it leaves at once, and all that it signed ends.')

export const listKeys = says({
  summary: 'List the signing keys, their states and what comes next; without any key material.',
  input: z.strictObject({ ...paging }),
  output: pageOf(key),
})

export const rotateKeys = says({
  summary:
    'Publish a next key, or let the published one sign once every verifier has it; says when which step happens.',
  input: z.strictObject({
    use: purpose
      .default('tokens')
      .describe('Which keys: those of storage tokens, or of revocations.'),
    compromised: compromised.describe(
      'The keys are in other hands: all of this use leave at once, all that they signed ends, and a new one signs.',
    ),
  }),
  output: taken,
})

export const retireKey = says({
  summary:
    'Withdraw a published key, hand over from a signing one, or remove a retiring one; refused while it is not safe.',
  input: z.strictObject({
    kid: kid.describe('The kid of the key, as the list shows it.'),
    compromised,
  }),
  output: taken,
})
