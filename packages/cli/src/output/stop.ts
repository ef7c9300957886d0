/** Why a command ends without having done its work: one line for the person, one exit code for the script. */

export const exitCodes = { done: 0, refused: 1, wrongUsage: 2, unavailable: 3 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export class Stop extends Error {
  override readonly name = 'Stop'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, line: string) {
    super(line)
    this.exitCode = exitCode
  }
}

/** The request was understood, and denied. */
export function refused(line: string): Stop {
  return new Stop(exitCodes.refused, line)
}

export function wrongUsage(line: string): Stop {
  return new Stop(exitCodes.wrongUsage, line)
}

/** Something the command needs cannot be reached, opened or started. */
export function unavailable(line: string): Stop {
  return new Stop(exitCodes.unavailable, line)
}
