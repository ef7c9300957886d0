/** One question about an installation, which a command asks for an operator. */

import type { Finding } from './finding.ts'

export interface Check<Installation> {
  /** The word at the beginning of its lines. */
  readonly name: string
  /** Changes nothing. Gives no row where there is nothing to check; an exception is reported as wrong. */
  run(installation: Installation): Promise<readonly Finding[]>
}
