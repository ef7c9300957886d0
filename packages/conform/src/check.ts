import type { Clause } from './clauses.ts'

/** Groups of checks: what a client, a verifier, a storage or a Hugging Face client relies on. */
export const profiles = ['token-api', 'verifier', 'storage', 'huggingface'] as const

export type Profile = (typeof profiles)[number]

/** Proves exactly one clause about a server. */
export interface Check<Target> {
  /** Letters, digits and hyphens. It never changes: files of expected failures name it. */
  readonly id: string
  readonly clause: Clause
  readonly profiles: readonly Profile[]
  /** A sentence about a server that holds the clause. */
  readonly title: string
  /** `undefined` if the server holds the clause. */
  run(target: Target): Promise<Fault | Skip | undefined>
}

/** It never contains a token. */
export interface Fault {
  readonly expected: string
  readonly got: string
  /** The line of the request, for example `GET /api/models/conform/open/storage-read-token/main`. */
  readonly request?: string
}

/** The check does not apply to this server or this run. */
export interface Skip {
  readonly skip: string
}

export function isSkip(end: Fault | Skip): end is Skip {
  return 'skip' in end
}

/** Ends a check that needs a response which another check reports as wrong. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

export type CheckOutcome =
  | 'passed'
  | 'failed'
  | 'expected-failure'
  | 'unexpected-pass'
  | 'skipped'
  | 'error'

export interface CheckResult {
  readonly id: string
  readonly clause: Clause
  readonly profile: Profile
  readonly title: string
  readonly outcome: CheckOutcome
  readonly fault?: Fault
  /** Why the check was skipped. */
  readonly reason?: string
  readonly ms: number
}
