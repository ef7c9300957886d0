/** Refuses options that no function of the gate takes: a mistyped name must not silently turn a guard off. */

import { optionFault } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/cannot-start'

/** `of` is what takes the options, as a sentence names it: `a gate`. */
export function refuseOptions(
  of: string,
  given: unknown,
  types: Readonly<Record<string, string>>,
): void {
  const fault = optionFault(of, given, types)
  if (fault !== undefined) throw new CannotStart(fault)
}
