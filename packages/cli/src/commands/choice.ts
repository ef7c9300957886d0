/** An argument that is one of a few words. */

import { quoteGiven } from '@latchkey/service/text'
import { Argument } from 'commander'
import { wrongUsage } from '../output/stop.ts'

export function choice(name: string, about: string, allowed: readonly string[]): Argument {
  return new Argument(name, about).choices(allowed).argParser((argument: string) => {
    if (allowed.includes(argument)) return argument
    const words = allowed.join(' or ')
    throw wrongUsage(`${name}: ${quoteGiven(argument)} is not allowed; give ${words}`)
  })
}
