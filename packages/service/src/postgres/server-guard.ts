/** Compares the server inside every transaction: after a failover the same address leads to another one, which may lack changes. */

export interface ServerGuard {
  /** The server that is expected now. Throws `DatabaseUnavailable` where no server has been met, or not lately enough. */
  expect(): ExpectedServer
  /** Meets the server that answers now; false where none can be used. */
  meet(): Promise<boolean>
}

export interface ExpectedServer {
  /** A SELECT of one row that names the server, and whether it is a replica: the first statement of each transaction. */
  readonly question: string
  /** Judges a row of `question`, or the first row of a statement that has its columns too. */
  isServer(row: Readonly<Record<string, unknown>> | undefined): boolean
}

export const serverMismatch =
  'it is a replica, another server, or older than this process has seen it. The hub compares it before it answers.'
