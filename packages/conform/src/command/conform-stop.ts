/** The exit codes of `latchkey`. */
export const exitCodes = { asExpected: 0, notAsExpected: 1, wrongUsage: 2, unavailable: 3 } as const

/** Ends a run that could not check anything. */
export class ConformStop extends Error {
  override readonly name = 'ConformStop'
  readonly exitCode: 2 | 3

  constructor(exitCode: 2 | 3, line: string) {
    super(line)
    this.exitCode = exitCode
  }
}

export function wrongUsage(line: string): ConformStop {
  return new ConformStop(exitCodes.wrongUsage, line)
}

export function unavailable(line: string): ConformStop {
  return new ConformStop(exitCodes.unavailable, line)
}
