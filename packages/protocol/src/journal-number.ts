/** Logical time: a moment of the hub's directory, as the number of an entry in its journal. */

/** Rises with every entry, and is never less than the Unix milliseconds at which the entry was made. */
export type JournalNumber = number & { readonly unit: 'journal-number' }

/** Before every entry. */
export const noJournalNumber = 0 as JournalNumber

export function isJournalNumber(value: unknown): value is JournalNumber {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function journalNumber(value: number): JournalNumber {
  if (!isJournalNumber(value)) throw new RangeError(`not a number of the journal: ${value}`)
  return value
}
