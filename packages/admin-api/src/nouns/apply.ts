import { z } from 'zod'
import { loseContent } from '../input/words.ts'
import { shownOnce } from './hub-tokens.ts'
import { says } from './says.ts'

export const appliedThings = [
  'account',
  'namespace',
  'repository',
  'ref',
  'commit',
  'publisher',
  'hub-token',
] as const
export const appliedDoings = ['created', 'changed', 'deleted', 'recorded', 'revoked'] as const

/** One change, as the answer of a verb tells it that can change several things. */
export const appliedChange = z.object({
  what: z.enum(appliedThings),
  name: z.string(),
  did: z.enum(appliedDoings),
})

export const apply = says({
  summary: 'Create and change objects as an apply file describes; up to 2000 changes, all or none.',
  input: z.strictObject({
    file: z.unknown().meta({
      description: 'The apply file: its JSON text, or the object itself.',
      anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/DirectoryFile' }],
    }),
    prune: z
      .boolean()
      .default(false)
      .describe('Also delete objects that the file does not name, in the sections that it has.'),
    dryRun: z
      .boolean()
      .default(false)
      .describe('Only return the changes; the hub changes no object and creates no token.'),
    loseContent,
  }),
  output: z.object({
    dryRun: z
      .boolean()
      .optional()
      .describe('true for a dry run: the hub made none of the changes.'),
    changes: z
      .array(appliedChange)
      .describe('The changes, in order; empty if everything matched already.'),
    hubTokens: z
      .array(z.object({ account: z.string(), name: z.string(), token: shownOnce }))
      .describe('The new hub tokens, shown only once.'),
  }),
})
