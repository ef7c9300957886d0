/** Repositories: type, namespace and name, with a uid that its name never gets again. */

import { z } from 'zod'
import {
  branch,
  moment,
  name,
  pageOf,
  paging,
  quota,
  repository,
  storageName,
  visibility,
} from '../input/words.ts'
import { says } from './says.ts'

const namedRepository = repository.describe('The repository, such as models/acme/bert.')

const repositoryOutput = z.object({
  uid: z
    .string()
    .describe('The id that storage tokens carry; a repository made again has another.'),
  repository: z.string(),
  visibility,
  defaultBranch: z.string(),
  storage: z.string().describe('The storage that holds its content.'),
  quotaBytes: z
    .number()
    .int()
    .optional()
    .describe('The maximum number of bytes of its content. The storage can have a lower limit.'),
  movesTo: z
    .string()
    .optional()
    .describe('The storage to which its content moves. Uploads get 503 in the meantime.'),
  movesNumber: z
    .number()
    .int()
    .optional()
    .describe('The journal number of the entry that closed uploads for the move.'),
  createdAt: moment,
})

const repositoryQuota = quota
  .optional()
  .describe('The maximum size of its content, such as 50GB, or none.')

export const createRepository = says({
  summary: 'Create an empty repository in an existing namespace, with its default branch.',
  input: z.strictObject({
    repository: repository.describe('The new repository, such as models/acme/bert.'),
    visibility: visibility
      .default('private')
      .describe('public: every account may read it; private: only accounts with a role.'),
    defaultBranch: branch
      .prefault('main')
      .describe('The default branch; it is created without a commit.'),
    storage: storageName
      .optional()
      .describe('The storage for its content; without it, the storage of its namespace.'),
    quota: repositoryQuota,
  }),
  output: repositoryOutput,
})

export const showRepository = says({
  summary: 'Show one repository.',
  input: z.strictObject({ repository: namedRepository }),
  output: repositoryOutput,
})

export const listRepositories = says({
  summary: 'List the repositories, all or those of one namespace.',
  input: z.strictObject({
    namespace: name.optional().describe('Only the repositories of this namespace.'),
    ...paging,
  }),
  output: pageOf(repositoryOutput),
})

export const setRepository = says({
  summary: 'Change a repository; options that you leave out stay unchanged.',
  input: z.strictObject({
    repository: namedRepository,
    visibility: visibility
      .optional()
      .describe('public: every account may read it; private: only accounts with a role.'),
    defaultBranch: branch
      .optional()
      .describe('The default branch; created without a commit if it does not exist.'),
    quota: repositoryQuota,
  }),
  output: repositoryOutput,
})

export const moveRepositoryStorage = says({
  summary:
    'Record a step of a move to another storage; "latchkey repo move-storage" takes all steps.',
  input: z.strictObject({
    repository: namedRepository,
    to: storageName.describe('The storage to which its content moves.'),
    step: z
      .enum(['close', 'switch', 'cancel'])
      .describe(
        'close: uploads get 503 from now on; switch: the content is at the other storage, and all storage tokens of the repository end; cancel: the content stays.',
      ),
    movesNumber: z.coerce
      .number()
      .int()
      .optional()
      .describe(
        'For switch: the "movesNumber" that close returned. After a later close, it is refused.',
      ),
  }),
  output: repositoryOutput.extend({
    sourceAudience: z
      .string()
      .describe('The start of the URL of the storage that had the content before this step.'),
    targetAudience: z.string().describe('The start of the URL of the other storage.'),
  }),
})

export const deleteRepository = says({
  summary: 'Delete a repository with its refs, commits and collaborators.',
  input: z.strictObject({ repository: namedRepository }),
  output: z.object({ deleted: z.string().describe('The deleted repository.') }),
})
