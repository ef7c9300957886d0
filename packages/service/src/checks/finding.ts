/** The result of a check: one line for the operator, and what to do about it. */

import { CannotStart } from '../machine/cannot-start.ts'

/** Only `wrong` makes the command fail. */
export type Result = 'good' | 'warning' | 'wrong' | 'skipped'

export interface Finding {
  readonly result: Result
  readonly found: string
  readonly todo?: string
}

export function good(found: string): Finding {
  return { result: 'good', found }
}

export function warning(found: string, todo: string): Finding {
  return { result: 'warning', found, todo }
}

export function wrong(found: string, todo: string): Finding {
  return { result: 'wrong', found, todo }
}

/** The check has no subject, or cannot look at it. */
export function skipped(found: string): Finding {
  return { result: 'skipped', found }
}

/** A start would end with the line of a `CannotStart`: it says what is wrong, then what to do. */
export function wrongByError(error: unknown): Finding {
  const line = error instanceof Error ? error.message : String(error)
  if (!(error instanceof CannotStart)) {
    return wrong(
      `this could not be looked at: ${line}`,
      'Run the command again; if it stays so, report it with this line.',
    )
  }
  const [found = '', ...rest] = line.split(/\. (?=[A-Z])/)
  return wrong(found, rest.join('. ') || 'Correct it, and run the command again.')
}
