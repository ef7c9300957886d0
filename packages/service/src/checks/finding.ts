/** The result of a check: one line for the operator, and what to do about it. */

import { CannotStart } from '../machine/errors.ts'

/** Only `wrong` makes the command fail. */
export type Result = 'good' | 'warning' | 'wrong' | 'skipped'

export interface Finding {
  readonly result: Result
  readonly found: string
  readonly todo?: string
}

export function goodFinding(found: string): Finding {
  return { result: 'good', found }
}

export function warningFinding(found: string, todo: string): Finding {
  return { result: 'warning', found, todo }
}

export function wrongFinding(found: string, todo: string): Finding {
  return { result: 'wrong', found, todo }
}

/** The check has no subject, or cannot look at it. */
export function skippedFinding(found: string): Finding {
  return { result: 'skipped', found }
}

/** A start would end with the line of a `CannotStart`: it says what is wrong, then what to do. */
export function wrongByError(error: unknown): Finding {
  const line = error instanceof Error ? error.message : String(error)
  if (!(error instanceof CannotStart)) {
    return wrongFinding(
      `this could not be looked at: ${line}`,
      'Run the command again; if it stays so, report it with this line.',
    )
  }
  const [found = '', ...rest] = line.split(/\. (?=[A-Z])/)
  return wrongFinding(found, rest.join('. ') || 'Correct it, and run the command again.')
}

export interface Check<Installation> {
  /** The word at the beginning of its lines. */
  readonly name: string
  /** Changes nothing. Gives no row where there is nothing to check; an exception is reported as wrong. */
  run(installation: Installation): Promise<readonly Finding[]>
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** In the largest unit of which there are two. */
export function spanOf(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000)
  for (const [unit, length] of units) {
    if (seconds >= 2 * length) return `${Math.floor(seconds / length)} ${unit}s`
  }
  return seconds === 1 ? '1 second' : `${seconds} seconds`
}
