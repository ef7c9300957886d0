/** An argument that is one of a few words. */

import { quoteGiven } from '@latchkey/service/text'
import { Argument } from 'commander'
import { wrongUsage } from '../output/stop.ts'

export function choice(name: string, about: string, allowed: readonly string[]): Argument {
  return new Argument(name, about).choices(allowed).argParser((given: string) => {
    if (allowed.includes(given)) return given
    const words = allowed.join(' or ')
    throw wrongUsage(`${name}: ${quoteGiven(given)} is not allowed; give ${words}`)
  })
}
