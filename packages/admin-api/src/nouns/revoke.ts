/** Taking storage tokens back before they end; what could be asked for before can be asked for again. */

import { Secret } from '@latchkey/protocol'
import { z } from 'zod'
import { hubTokenId, name, ref, repository } from '../input/words.ts'
import { says } from './says.ts'

const longest = 4096
const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Parsing turns it into a `Secret`; no message repeats it. A command takes it from standard input alone. */
const givenToken = z
  .string()
  .refine(
    (text) => text.length <= longest && threeParts.test(text),
    'must be a storage token, as latchkey token prints it. A hub token is revoked by its id: find it with latchkey hub-token list (HINT is the 4 characters before the last 6), or post the hub token to /revoke',
  )
  .transform((text) => new Secret('access-token', text))
  .meta({ format: 'password', writeOnly: true })

/** How one of these verbs has ended. */
const revocation = z.object({
  revoked: z.boolean().describe('false if there was no token to revoke.'),
  what: z.string().describe('The revoked tokens, or the reason why none was revoked, in words.'),
  number: z
    .int()
    .optional()
    .describe('The journal number: storage tokens that were issued before it are revoked.'),
  bounds: z
    .string()
    .optional()
    .describe('The time until gates and storages reject the tokens, in words.'),
  advice: z.string().optional().describe('The remaining access, and how to remove it.'),
  account: z.string().optional(),
  hubToken: z.string().optional(),
  repository: z.string().optional(),
  ref: z.string().optional(),
  tokenId: z.string().optional().describe('The id of the storage token: its jti.'),
})

export type Revocation = z.input<typeof revocation>

const namedRepository = repository.describe('The repository, such as models/acme/bert.')

export const revokeToken = says({
  summary: 'Revoke one storage token. The command reads it from standard input.',
  input: z.strictObject({
    token: givenToken.describe('The storage token itself. It is neither stored nor logged.'),
  }),
  output: revocation,
})

export const revokeTokensOfHubToken = says({
  summary: 'Revoke a hub token for good, and every storage token that was issued with it.',
  input: z.strictObject({
    hubToken: hubTokenId.describe('The id of the hub token, as the list shows it.'),
  }),
  output: revocation,
})

export const revokeTokensOfAccount = says({
  summary:
    'Revoke every storage token that an account has received until now. The account stays unchanged.',
  input: z.strictObject({ account: name.describe('The account whose storage tokens end.') }),
  output: revocation,
})

export const revokeTokensOfRepository = says({
  summary: 'Revoke every storage token that was issued for a repository until now.',
  input: z.strictObject({ repository: namedRepository }),
  output: revocation,
})

export const revokeTokensOfRef = says({
  summary: 'Revoke every storage token that was issued until now and gives access to a ref.',
  input: z.strictObject({
    repository: namedRepository,
    ref: ref.describe(
      'The ref: a branch such as main, or a full name such as refs/tags/v1.0 or refs/pr/1.',
    ),
  }),
  output: revocation,
})
