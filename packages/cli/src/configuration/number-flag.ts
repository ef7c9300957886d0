/** A flag whose value is a number: a wrong value is told together with what is allowed. */

import { quoteGiven } from '@latchkey/service/text/escape'
import { wrongUsage } from '../output/stop.ts'
import type { Kind } from './kind.ts'

export function numberFlag(flag: string, { fromText, read, allowed }: Kind<number>) {
  return (given: string): number => {
    const value = read(fromText(given))
    if (value !== undefined) return value
    throw wrongUsage(`${flag}: ${quoteGiven(given)} is not allowed; give ${allowed}`)
  }
}
