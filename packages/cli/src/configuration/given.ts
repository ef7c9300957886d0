/** A value as somebody gave it, remembered under the name they used. */

import { quoteGiven } from '@latchkey/service/text'
import { type Stop, wrongUsage } from '../output/stop.ts'

export interface GivenValue {
  /** `--port`, `LATCHKEY_PORT`, or `port in hub.json`. */
  readonly called: string
  readonly value: unknown
  /** The value as it was written. */
  readonly written: unknown
  /** A concern about how the value was given, for the operator. */
  readonly warning?: string | undefined
}

interface Rejected extends GivenValue {
  readonly allowed: string
  readonly secret?: boolean | undefined
}

/** An argument shows in process lists and shell histories. */
export function refusedAsFlag(called: string, ways: string): Stop {
  return wrongUsage(
    `${called}: a password in an argument shows in process lists and shell histories; ${ways}`,
  )
}

export function notAllowed({ called, written, allowed, secret }: Rejected): Stop {
  const what = secret === true ? 'this value' : quoteGiven(written)
  return wrongUsage(`${called}: ${what} is not allowed; give ${allowed}`)
}
