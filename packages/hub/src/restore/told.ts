/** An entry of another journal, as a restore reads it: what it is about, and the values before and after. */

import type { ChangeWork } from '../tables/directory.ts'
import type { JournalRow } from '../tables/rows.ts'

export type Image = Readonly<Record<string, unknown>>

export interface Told extends Omit<JournalRow, 'detail'> {
  readonly before: Image
  readonly after: Image
}

/**
 * What became of an entry:
 * - repeated: what it took away is taken away here too;
 * - made safe: the entry does not say enough, so that more is taken away;
 * - not needed: what it is about is not in the backup, or had no more than it was left with;
 * - not repeated: an operator has to look at it.
 */
export type RestoreOutcome = 'repeated' | 'made safe' | 'not needed' | 'not repeated'

export interface Repetition {
  readonly outcome: RestoreOutcome
  /** A sentence for the operator; undefined where the entry says it all. */
  readonly detail?: string
}

/** Repeats what one entry took away. Never gives anything that the restored directory does not have. */
export type Repeat = (work: ChangeWork, told: Told) => Promise<Repetition>

export const repeated: Repetition = { outcome: 'repeated' }
export const notThere: Repetition = { outcome: 'not needed', detail: 'It is not in the backup.' }
export const hadNoMore: Repetition = {
  outcome: 'not needed',
  detail: 'The backup gives no more than this entry left.',
}

const longestShown = 300

/** What is left where the entry has another list: the entry may have added what the backup does not allow. */
export function narrowedTo(left: unknown, told: unknown): Repetition {
  const text = JSON.stringify(left)
  if (text === JSON.stringify(told)) return repeated
  const shown = text.length > longestShown ? 'a list too long to show here' : text
  return {
    outcome: 'repeated',
    detail: `Narrowed to ${shown}, which the backup and this entry both allow.`,
  }
}

export function toldBy({ detail, ...entry }: JournalRow): Told {
  const { before = {}, after = {} } = JSON.parse(detail)
  return { ...entry, before, after }
}

/** Puts a change of a row unless the row has these values already. */
export function isSame<Row extends object>(before: Row, after: Row): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}
