/** What a caller can be told of a database that does not do its work now. */

/** The database cannot be reached or does not answer. The message says why, in one line without secrets. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway'
  /** The connection broke while a change was being committed: it may be in the database or not. */
  readonly mayHaveTakenEffect: boolean

  constructor(reason: string, { mayHaveTakenEffect = false } = {}) {
    super(
      mayHaveTakenEffect
        ? `${reason} The change may have taken effect: look before you repeat it.`
        : reason,
    )
    this.mayHaveTakenEffect = mayHaveTakenEffect
  }
}

/** Others hold the locks, or all connections, for too long. Nothing has happened; the caller can try again. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy'
}
