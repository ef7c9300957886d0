/** Mutants that no test can notice, because they mean the same as the original. */

export interface Equivalent {
  readonly file: string
  /** The line as it stands in the source. */
  readonly at: string
  readonly change: string
  readonly why: string
}

export const equivalent: readonly Equivalent[] = []
