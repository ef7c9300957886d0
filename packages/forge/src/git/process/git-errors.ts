import type { Refusal } from '@latchkey/protocol'

/** There is no git on this machine that can be used; in one line for the operator. */
export class GitUnavailable extends Error {
  override readonly name = 'GitUnavailable'
}

/** The account has too many git processes under way, or everybody together. */
export class GitBusy extends Error {
  override readonly name = 'GitBusy'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

export type FailureReason =
  /** git could not be started. */
  | 'start'
  /** git ended by itself, with an error. */
  | 'exit'
  | 'deadline'
  /** git took all the processor time that it may have. */
  | 'cpu'
  /** A signal ended git that was not ours. */
  | 'crash'
  /** More bytes than the caller takes, or deeper folders. */
  | 'too-large'
  /** The repositories were closed, or this one was removed. */
  | 'closed'

export class GitFailed extends Error {
  override readonly name = 'GitFailed'
  readonly reason: FailureReason
  /** The error output of git; a user may have chosen parts of it. */
  readonly stderr: string

  constructor(reason: FailureReason, what: string, stderr = '') {
    super(`git ${what}`)
    this.reason = reason
    this.stderr = stderr
  }
}
