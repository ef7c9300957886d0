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

const shown = z.object({
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
    'Make a branch, a tag or another ref, or move it to another commit; every commit it ever points to stays on record. A moved tag becomes another tag: what was uploaded under it is removed for good.',
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

/** As git tells a push after it: one for each ref. */
const refUpdate = z.strictObject({
  ref: fullRefName.describe('The full name of the ref, such as refs/heads/main.'),
  old: commitOrNone.describe('The commit that it had; 40 zeros if it did not exist.'),
  new: commitOrNone.describe('The commit that it has now; 40 zeros if it is deleted.'),
})

/** No push has more: a repository has at most this many refs. */
const maxUpdates = 10_000

export const updateRefs = says({
  summary:
    'Make the refs of a repository as a push has left them, all or none: made, moved or deleted.',
  input: z.strictObject({
    repository: namedRepository,
    updates: z
      .array(refUpdate)
      .max(maxUpdates)
      .describe('One for each ref that the push has changed.'),
    force: z
      .boolean()
      .default(false)
      .describe('Set the refs whatever commits they have here, instead of comparing these first.'),
    loseContent,
  }),
  output: z.object({
    changes: z.array(appliedChange).describe('What has changed; empty when it was so already.'),
    ignored: z
      .array(z.string())
      .describe(
        'Names that no ref can have here, or not beside the branch or tag of the same name; all else was done.',
      ),
  }),
})

export const deleteRef = says({
  summary:
    'Delete a ref; its commits stay on record. In a repository that a forge holds, a ref whose content may be needed is deleted through the forge.',
  input: z.strictObject({ repository: namedRepository, ref: namedRef, loseContent }),
  output: z.object({ deleted: z.string().describe('The ref that is gone.') }),
})
