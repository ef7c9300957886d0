/** What goes wrong with a connection, beside what the server answers to a statement. */

/** There is no connection to be had; the reason is the driver's or one of ours. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection'
  readonly reason: unknown

  constructor(reason: unknown) {
    super('no connection to the database')
    this.reason = reason
  }
}

/** The connection ended before the answer came. */
export class ConnectionLost extends Error {
  override readonly name: string = 'ConnectionLost'
  readonly reason: unknown

  constructor(reason: unknown) {
    super('the connection to the database broke')
    this.reason = reason
  }
}

/** It ended after COMMIT was sent. */
export class CommitLost extends ConnectionLost {
  override readonly name = 'CommitLost'
}

/** The server did not answer in time, so the connection was closed. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/** A server that cannot be used as it is; the message says why and what to do. */
export class OtherServer extends Error {
  override readonly name = 'OtherServer'
}

/** The server asks for a password and none is known. */
export class NoPassword extends Error {
  override readonly name = 'NoPassword'
}

/** This process has as much such work as it may have at once; the message says what to do. */
export class NoneFree extends Error {
  override readonly name = 'NoneFree'
}
