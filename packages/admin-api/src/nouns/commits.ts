/** Commits on record: each once per repository, with the moving refs that hold it and since when. */

import { z } from 'zod'
import { commitHash, moment, movingRef, pageOf, paging, repository } from '../input/words.ts'
import { says } from './says.ts'

const namedRepository = repository.describe('The repository, such as models/acme/bert.')

/** An answer stays small even for a commit that thousands of branches hold. */
export const maxShownHolders = 100

const commit = z.object({
  uid: z.string(),
  hash: z.string(),
  recordedAt: moment,
  on: z
    .array(z.string())
    .describe(`The refs that contain it, in the order of recording; at most ${maxShownHolders}.`),
})

export const recordCommit = says({
  summary: 'Record a commit and the branches that contain it.',
  input: z.strictObject({
    repository: namedRepository,
    hash: commitHash.describe('The full hash of the commit.'),
    on: z
      .array(movingRef)
      .max(1000)
      .default([])
      .describe('A branch that contains the commit, or a full name such as refs/pr/1.'),
  }),
  output: commit,
})

export const listCommits = says({
  summary: 'List the recorded commits of a repository by hash.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(commit),
})
