/** The journal for those who ask who changed what. */

import type { JournalPlace } from '@latchkey/admin-api'
import { formatRepoRef, type Refusal, refuse } from '@latchkey/protocol'
import { findEntries, findHead, hasEntry, shownEntry } from '../journal/read-journal.ts'
import type { Does } from './does.ts'

export const listChanges: Does<'changes'> = async ({ tables }, input) => {
  const { repository, account, last: newest } = input
  if (newest !== undefined && input.after !== undefined) return eitherAfterOrLast()
  const limit = newest ?? input.limit
  const { number: head, pruned_through: pruned } = await findHead(tables)
  const after = placeIn(input.after, { head, pruned })
  if (after < pruned) return entriesRemoved(pruned)
  const isPlace = !isNumber(input.after) || after === pruned || (await hasEntry(tables, after))
  if (!isPlace) return notThere(head)
  const path = repository === undefined ? undefined : formatRepoRef(repository)
  const isFromEnd = newest !== undefined
  const rows = await findEntries(tables, { after, limit, isFromEnd, repository: path, account })
  // Retention may have removed entries between the statements.
  const { pruned_through: removed } = await findHead(tables)
  if (after < removed) return entriesRemoved(removed)
  // A full page ends at its last entry; a page that is not full has seen the whole journal, also what has come
  // since the head was read.
  const end = rows.at(-1)?.number ?? head
  const last = rows.length === limit && !isFromEnd ? end : Math.max(end, head)
  return { items: rows.map(shownEntry), last, oldest: pruned + 1 }
}

/** A time means what there is from then on; a number means an entry that must be known. */
function placeIn(
  place: JournalPlace | undefined,
  { head, pruned }: { readonly head: number; readonly pruned: number },
): number {
  if (place === undefined) return pruned
  if (isNumber(place)) return place.number
  // A number is never below the time of its entry.
  return Math.min(Math.max(place.milliseconds - 1, pruned), head)
}

function isNumber(place: JournalPlace | undefined): place is { readonly number: number } {
  return place !== undefined && 'number' in place
}

function eitherAfterOrLast(): Refusal {
  return refuse('bad_request', 'last names the end of the journal. Leave out after.', {
    path: 'last',
  })
}

function entriesRemoved(pruned: number): Refusal {
  return refuse(
    'cursor_unknown',
    `Entries up to ${pruned} were removed from the journal by its retention. Begin with after=${pruned}, and do not rely on what you knew before.`,
    { path: 'after', next: ['changes'] },
  )
}

/** Numbers are never used twice, so this one is of a journal that a restored backup has replaced. */
function notThere(head: number): Refusal {
  return refuse(
    'cursor_unknown',
    `The journal, which ends at ${head}, has no entry with this number. After a restored backup begin with after=${head}, and do not rely on what you knew before.`,
    { path: 'after', next: ['changes'] },
  )
}
