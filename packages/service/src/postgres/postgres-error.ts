import pg from 'pg'

/** Another transaction is in the way: lock timeout, serialization, deadlock, statement timeout. */
const busy = new Set(['55P03', '40001', '40P01', '57014'])

/** Codes of a prepared statement that no longer fits: its tables changed, or a pooler stands in between. */
const stale = new Set(['0A000', '26000', '42P05'])

const network = /^(?:E(?:CONN|HOST|NET|PIPE|TIMEDOUT|PROTO)|ERR_(?:SSL|TLS|STREAM))/

/** The driver has no codes for these. */
const lost =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed)/

/** The server's SQLSTATE; undefined for an error that is not the server's. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

export function isBusy(error: unknown): boolean {
  return busy.has(stateOf(error) ?? '')
}

export function isDiskFull(error: unknown): boolean {
  return stateOf(error) === '53100'
}

export function isReadOnlyServer(error: unknown): boolean {
  return stateOf(error) === '25006'
}

export function isStalePlan(error: unknown): boolean {
  return stale.has(stateOf(error) ?? '')
}

/** Whether an error of the driver or the server is the end of its connection. */
export function endsConnection(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    // The severity is translated into the server's language; these codes are always the end.
    return (
      /^(?:08|57P|25P0[34])/.test(error.code ?? '') ||
      /^(?:FATAL|PANIC)$/.test(error.severity ?? '')
    )
  }
  if (!(error instanceof Error)) return false
  return lost.test(error.message) || ('code' in error && network.test(`${error.code}`))
}

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
