/** Refs: branches, tags and others, each with a uid that its name never gets again. */

import { z } from 'zod'
import {
  commitHash,
  commitOrNone,
  fullRefName,
  loseContent,
  moment,
  movingRef,
  pageOf,
  paging,
  ref,
  repository,
} from '../input/words.ts'
import { appliedChange } from './apply.ts'
import { says } from './says.ts'

const namedRepository = repository.describe('The repository, such as models/acme/bert.')
const namedRef = ref.describe(
  'The ref: a branch such as main, or a full name such as refs/tags/v1.0 or refs/pr/1.',
)

const refOutput = z.object({
  uid: z
    .string()
    .describe('The id that storage tokens carry; a ref made again, or a tag moved, has another.'),
  name: z.string(),
  commit: z.string().describe('The full hash it points to; 40 zeros while it has no commit yet.'),
  from: z.string().optional().describe('The ref it was made from.'),
  forkedAt: moment.optional(),
  createdAt: moment,
})

export const setRef = says({
  summary:
    'Create a branch, a tag or another ref, or move it to another commit. Every commit that it points to stays recorded. A moved tag becomes a new tag: content that was uploaded under it is deleted for good.',
  input: z.strictObject({
    repository: namedRepository,
    ref: namedRef,
    commit: commitHash
      .optional()
      .describe(
        'The full hash it points to from now on. Without one, a ref that exists stays where it is, and a new one gets the commit of the branch it is made from, or none yet.',
      ),
    from: movingRef
      .optional()
      .describe(
        'The branch that a new ref is made from, whose content up to now it shares; never changes.',
      ),
    expect: commitOrNone
      .optional()
      .describe(
        'Only if it points to this commit now; 40 zeros: only if it does not exist or has no commit yet.',
      ),
  }),
  output: refOutput,
})

export const showRef = says({
  summary: 'Show one ref.',
  input: z.strictObject({ repository: namedRepository, ref: namedRef }),
  output: refOutput,
})

export const listRefs = says({
  summary: 'List the refs of a repository by full name.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(refOutput),
})

/** As git tells a push after it: one for each ref. */
const refUpdate = z.strictObject({
  ref: fullRefName.describe('The full name of the ref, such as refs/heads/main.'),
  old: commitOrNone.describe('The commit that it had; 40 zeros if it did not exist.'),
  new: commitOrNone.describe('The commit that it has now; 40 zeros if it is deleted.'),
})

/** No push has more: a repository has at most this many refs. */
const maxUpdates = 10_000

export const updateRefs = says({
  summary: 'Create, move and delete the refs of a repository after a push, all or none.',
  input: z.strictObject({
    repository: namedRepository,
    updates: z
      .array(refUpdate)
      .max(maxUpdates)
      .describe('One for each ref that the push has changed.'),
    force: z
      .boolean()
      .default(false)
      .describe('Set the refs without comparing their old commits first.'),
    loseContent,
  }),
  output: z.object({
    changes: z.array(appliedChange).describe('The changes; empty if all refs matched already.'),
    ignored: z
      .array(z.string())
      .describe('Skipped names: no ref can have them here, or a branch or tag has the same name.'),
  }),
})

export const deleteRef = says({
  summary:
    'Delete a ref; its commits stay recorded. If a forge serves the repository and others may need the content of the ref, delete it through the forge.',
  input: z.strictObject({ repository: namedRepository, ref: namedRef, loseContent }),
  output: z.object({ deleted: z.string().describe('The deleted ref.') }),
})
