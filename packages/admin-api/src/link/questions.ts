/**
 * Requests of a storage to its hub over the link, and their responses: numbers and uids, never a
 * name.
 */

import { maxConfigurableCasUrlLength } from '@latchkey/protocol'
import { z } from 'zod'

export const linkPrefix = '/link/v1'

/** For one question, so that none holds the database for long. */
export const maxLinkUids = 1000

const maxWaitSeconds = 60

/** Only uids that a hub has made mean something; the length keeps questions bounded. */
const uid = z.string().min(1).max(64)
const uids = z.array(uid).max(maxLinkUids)

const number = z.number().int()

const numberInQuery = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a journal number')
  .transform(Number)
  .optional()

export const changesQuestion = z.strictObject({
  after: numberInQuery.describe(
    'The last journal number that the storage has processed; without it, the hub returns the deletions for which storage tokens can still be valid.',
  ),
  known: numberInQuery.describe(
    'The highest journal number that the storage has learned from storage tokens and revocation heads, if it is above "after". If the journal lacks it, the database was rolled back, and the hub ends every storage token.',
  ),
  audience: z
    .string()
    .max(maxConfigurableCasUrlLength)
    .optional()
    .describe(
      'The start of the URL of the storage, as storage tokens have it in "aud". The hub refuses the credential of another storage.',
    ),
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(maxWaitSeconds)
    .default(0)
    .describe(
      `How many seconds to wait for an entry where there is none yet, up to ${maxWaitSeconds}.`,
    ),
})

const bytes = number.nullable()

const quotaState = z.object({
  number: number.describe('The journal number of this state: a state with a lower one is older.'),
  repositories: z.array(
    z.object({
      repository: z.string().describe('The uid of a repository whose content is on the storage.'),
      namespace: z.string().describe('The id of its namespace, which it keeps.'),
      bytes: bytes.describe('Its quota; null for none.'),
    }),
  ),
  namespaces: z.array(
    z.object({
      namespace: z.string(),
      bytes: bytes.describe('The quota of the namespace; null for none.'),
    }),
  ),
})

export const changesAnswer = z.object({
  number: number.describe('Pass it as "after" to continue.'),
  removed: z.array(z.string()).describe('The uids of deleted repositories and refs, oldest first.'),
  complete: z.boolean().describe('False if there is more: send the request again immediately.'),
  quotas: quotaState
    .optional()
    .describe('The quotas of the repositories and namespaces that changed, if any did.'),
})

export const quotasQuestion = z.strictObject({
  after: uid.optional().describe('The "next" of the page before.'),
})

export const quotasAnswer = quotaState.extend({
  next: z
    .string()
    .optional()
    .describe('Pass it as "after" to read the next page. The last page has none.'),
})

export const epochsQuestion = z.strictObject({
  repositories: uids.describe('The uids of the repositories that lost content.'),
})

export const epochsAnswer = z.object({
  raised: number.describe('The number of repositories with new storage URLs.'),
})

export const placesQuestion = z.strictObject({
  uids: uids.describe('The uids of repositories, refs and commits.'),
})

export const placesAnswer = z.object({
  unknown: z.array(z.string()).describe('The uids that do not exist at this hub.'),
})
