/** Refuses options that a function of this package does not take. */

import { optionFault } from '@latchkey/protocol'

export type { OptionTypes } from '@latchkey/protocol'

/** `of` is the function that takes the options. */
export function refuseOptions(
  of: string,
  given: unknown,
  types: Readonly<Record<string, string>>,
): void {
  const fault = optionFault(of, given, types)
  if (fault !== undefined) throw new TypeError(fault)
}
