/**
 * A format error in the data of a client: returned, not thrown, because the client has to correct
 * it.
 */

export interface FormatError {
  /** One sentence: what is wrong, where, and what was expected. */
  readonly flaw: string
}

export function formatError(sentence: string): FormatError {
  return { flaw: sentence }
}

export function isFormatError(value: unknown): value is FormatError {
  return typeof value === 'object' && value !== null && 'flaw' in value
}

export class IntegrityError extends Error {
  override readonly name = 'IntegrityError'
}

/** All of it came, and it is another file: what was put of it is worth nothing. */
export class HashMismatchError extends IntegrityError {}
