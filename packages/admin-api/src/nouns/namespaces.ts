/** Namespaces: the first half of a repository's id, and the place where members are. */

import { z } from 'zod'
import { moment, name, pageOf, paging, quota, storageName } from '../input/words.ts'
import { says } from './says.ts'

const namedNamespace = name.describe('The name of the namespace.')

const namespace = z.object({
  id: z.string(),
  name: z.string(),
  storage: z.string().describe('The storage of its new repositories.'),
  quotaBytes: z
    .number()
    .int()
    .optional()
    .describe('The maximum number of bytes of its repositories together, in each storage.'),
  dividedBytes: z
    .number()
    .int()
    .optional()
    .describe('The sum of the quotas of its repositories, if the namespace has a quota.'),
  createdAt: moment,
})

const namespaceQuota = quota
  .optional()
  .describe('The maximum size of its repositories together, such as 500GB, or none.')

export const createNamespace = says({
  summary: 'Create a namespace for repositories.',
  input: z.strictObject({
    name: name.describe('The name of the new namespace, unique ignoring case.'),
    storage: storageName
      .optional()
      .describe('The storage of its new repositories; without it, the storage "default".'),
    quota: namespaceQuota,
  }),
  output: namespace,
})

export const showNamespace = says({
  summary: 'Show one namespace.',
  input: z.strictObject({ namespace: namedNamespace }),
  output: namespace,
})

export const listNamespaces = says({
  summary: 'List the namespaces by name.',
  input: z.strictObject({ ...paging }),
  output: pageOf(namespace),
})

export const setNamespace = says({
  summary: 'Change a namespace; its repositories keep their storage.',
  input: z.strictObject({
    namespace: namedNamespace,
    storage: storageName.optional().describe('The storage of its new repositories.'),
    quota: namespaceQuota,
  }),
  output: namespace,
})

export const deleteNamespace = says({
  summary: 'Delete a namespace that holds no repositories any more.',
  input: z.strictObject({ namespace: namedNamespace }),
  output: z.object({ deleted: z.string().describe('The deleted namespace.') }),
})
