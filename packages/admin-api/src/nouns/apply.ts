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
  summary:
    'Make everything that a directory file names as the file says; up to 2000 changes all or nothing.',
  input: z.strictObject({
    file: z.unknown().meta({
      description: 'The directory file: its JSON text, or the object itself.',
      anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/DirectoryFile' }],
    }),
    prune: z
      .boolean()
      .default(false)
      .describe('Also delete what a section that the file has does not name.'),
    dryRun: z
      .boolean()
      .default(false)
      .describe('Only answer with what would change; nothing is changed, and no token is made.'),
    loseContent,
  }),
  output: z.object({
    dryRun: z.boolean().optional().describe('Nothing of this was done.'),
    changes: z
      .array(appliedChange)
      .describe('What has changed, in order; empty when everything was so already.'),
    hubTokens: z
      .array(z.object({ account: z.string(), name: z.string(), token: shownOnce }))
      .describe('The newly made hub tokens, shown this once.'),
  }),
})
