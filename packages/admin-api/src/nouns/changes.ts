/** The journal of the directory: who changed what, and when. */

import { z } from 'zod'
import { maxPageLength, moment, name, paging, parsed, repository } from '../input/words.ts'
import { says } from './says.ts'

const maxWaitSeconds = 60

/** ISO 8601: a time needs its zone; a day begins at midnight UTC, as `Date.parse` reads it. */
const zoned = z.union([z.iso.datetime({ offset: true }), z.iso.date()])

const place = parsed(
  readPlace,
  'must be a journal number, a time with its zone such as 2027-01-01T00:00:00Z, or a day such as 2027-01-01',
)

/** A place in the journal: after this entry, or from this moment on. */
export type JournalPlace = { readonly number: number } | { readonly milliseconds: number }

function readPlace(text: string): JournalPlace | undefined {
  if (/^\d{1,15}$/.test(text)) return { number: Number(text) }
  return zoned.safeParse(text).success ? { milliseconds: Date.parse(text) } : undefined
}

const changeActor = z.object({
  account: z.string().optional().describe('The account of the actor.'),
  accountId: z.string().optional(),
  hubToken: z.string().optional().describe('The id of the hub token of the actor.'),
  user: z.string().optional().describe("The operating system's user, for a command."),
})

export const journalEntry = z.object({
  number: z.number().int().describe('Rises with every change, and is never used twice.'),
  previous: z.number().int().describe('The number of the entry before.'),
  at: moment,
  verb: z.string().describe('The operation or the command.'),
  thing: z.string().describe('The kind of the changed object.'),
  did: z.string().describe('The change: created, changed, deleted, recorded, revoked or opened.'),
  actor: changeActor,
  requestId: z.string().optional(),
  account: z.string().optional(),
  accountId: z.string().optional(),
  hubToken: z.string().optional().describe('The id of the hub token that has changed.'),
  namespace: z.string().optional(),
  namespaceId: z.string().optional(),
  repository: z.string().optional(),
  repositoryUid: z.string().optional(),
  ref: z.string().optional(),
  refUid: z.string().optional(),
  narrows: z.boolean().describe('Whether the change may reduce access.'),
  before: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The values before, without secrets.'),
  after: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The values after, without secrets.'),
})

export type JournalEntry = z.output<typeof journalEntry>

export const listChanges = says({
  summary: 'List the entries of the journal, the oldest first.',
  input: z.strictObject({
    after: place
      .optional()
      .describe('Only entries after this journal number, or from this time on.'),
    wait: z.coerce
      .number()
      .int()
      .min(0)
      .max(maxWaitSeconds)
      .default(0)
      .describe(
        `How many seconds to wait for a change where there is none yet, up to ${maxWaitSeconds}.`,
      ),
    last: z.coerce
      .number()
      .int()
      .min(1)
      .max(maxPageLength)
      .optional()
      .describe(
        `Only the newest entries, this many at most, up to ${maxPageLength}. Not together with after.`,
      ),
    repository: repository.optional().describe('Only entries about this repository.'),
    account: name.optional().describe('Only entries about this account, or by it.'),
    limit: paging.limit.describe(`The maximum number of entries, up to ${maxPageLength}.`),
  }),
  output: z.object({
    items: z.array(journalEntry).describe('The entries, in order.'),
    last: z.number().int().describe('Pass it as "after" to continue.'),
    oldest: z.number().int().describe('Entries before this number were removed by retention.'),
  }),
})
