/** Errors that end in one line for an operator or a refusal for a client: a service that cannot start, a database that does not answer. */

/** Why a service cannot start or its data cannot be opened, in one line for the operator. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}

/** The database cannot be reached or does not answer. The message says why, in one line without secrets. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
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
