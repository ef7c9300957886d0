/** Refs: branches, tags and others, each with a uid that its name never gets again. */

import { z } from 'zod'
import { pageOf, paging } from '../input/page.ts'
import { commitHash, moment, movingRef, ref, repository } from '../input/words.ts'
import { says } from './says.ts'

const namedRepository = repository.describe('The repository, such as models/acme/bert.')
const namedRef = ref.describe(
  'The ref: a branch such as main, or a full name such as refs/tags/v1.0 or refs/pr/1.',
)

const shown = z.object({
  uid: z
    .string()
    .describe('The id that storage tokens carry; a ref made again, or a tag moved, has another.'),
  name: z.string(),
  commit: z.string(),
  from: z.string().optional().describe('The ref it was made from.'),
  forkedAt: moment.optional(),
  createdAt: moment,
})

export const createRef = says({
  summary: 'Make a branch, a tag or another ref, and put its commit on record.',
  input: z.strictObject({
    repository: namedRepository,
    ref: namedRef,
    commit: commitHash
      .optional()
      .describe(
        'The full hash it points to; without one, the commit of the branch it is made from.',
      ),
    from: movingRef
      .optional()
      .describe('The branch it is made from, whose content up to now it shares; never changes.'),
  }),
  output: shown,
})

export const showRef = says({
  summary: 'Show one ref.',
  input: z.strictObject({ repository: namedRepository, ref: namedRef }),
  output: shown,
})

export const listRefs = says({
  summary: 'List the refs of a repository by full name.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(shown),
})

export const setRef = says({
  summary:
    'Move a ref to another commit; the commit it leaves stays on record. A moved tag becomes another tag: what was uploaded under it is removed for good.',
  input: z.strictObject({
    repository: namedRepository,
    ref: namedRef,
    commit: commitHash.describe('The full hash it points to from now on.'),
  }),
  output: shown,
})

export const deleteRef = says({
  summary: 'Delete a ref; its commits stay on record.',
  input: z.strictObject({ repository: namedRepository, ref: namedRef }),
  output: z.object({ deleted: z.string().describe('The ref that is gone.') }),
})
