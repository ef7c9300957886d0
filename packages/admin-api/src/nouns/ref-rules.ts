/** Ref rules: the role that an account needs to write refs that match a pattern. */

import { z } from 'zod'
import { allowForce, pageOf, paging, refPattern, repository, writeRole } from '../input/words.ts'
import { says } from './says.ts'

const namedRepository = repository.describe('The repository, such as models/acme/bert.')
const pattern = refPattern.describe(
  'The pattern of the refs: main, release/* or refs/pr/**; a bare pattern means branches, * stays within a segment.',
)

const ruleOutput = z.object({
  repository: z.string(),
  pattern: z.string(),
  write: writeRole,
  allowForce,
})

export const setRefRule = says({
  summary: 'Set the role that writing to the refs of a pattern requires, and allow force.',
  input: z.strictObject({
    repository: namedRepository,
    pattern,
    write: writeRole.describe('The role that writing requires.'),
    allowForce: z
      .boolean()
      .default(false)
      .describe('A push may leave the history of a branch, and move or delete a tag.'),
  }),
  output: ruleOutput,
})

export const listRefRules = says({
  summary: 'List the ref rules of a repository.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(ruleOutput),
})

export const deleteRefRule = says({
  summary: 'Delete the ref rule of a pattern.',
  input: z.strictObject({ repository: namedRepository, pattern }),
  output: z.object({ deleted: z.string().describe('The pattern that has no rule any more.') }),
})
