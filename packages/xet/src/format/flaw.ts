/** What is wrong with bytes that somebody sent: a value, because it is theirs to mend. */

export interface Flaw {
  /** One sentence: what is wrong, where, and what was expected. */
  readonly flaw: string
}

export function flaw(sentence: string): Flaw {
  return { flaw: sentence }
}

export function isFlaw(value: unknown): value is Flaw {
  return typeof value === 'object' && value !== null && 'flaw' in value
}

export class Misdelivered extends Error {
  override readonly name = 'Misdelivered'
}

/** All of it came, and it is another file: what was put of it is worth nothing. */
export class OtherFile extends Misdelivered {}
