/** A secret that a verb takes comes from standard input: arguments show in process lists and shell histories. */

import { readAtMost } from '@latchkey/service/http/read-at-most'
import { wrongUsage } from '../output/stop.ts'
import type { Parameter } from './parameter.ts'

/** Longer than any token. */
const mostBytes = 64 * 1024

/** How messages call it. What was given there is never repeated. */
export const pipedName = 'standard input'

/** The member of the input that holds it; nothing where the verb takes no secret. */
export async function readPipedSecret(
  parameters: readonly Parameter[],
): Promise<Readonly<Record<string, string>>> {
  const secret = parameters.find(({ form }) => form === 'secret')
  if (secret === undefined) return {}
  const { member } = secret
  if (process.stdin.isTTY) {
    throw wrongUsage(
      `the ${member} is read from ${pipedName}, so that no shell history or process list has it: pipe it in, as the example of --help does`,
    )
  }
  const bytes = await readAtMost(process.stdin, mostBytes)
  const text = bytes?.toString() ?? ''
  if (bytes?.length === 0) throw wrongUsage(`${pipedName} is empty: pipe the ${member} in`)
  return { [member]: text.replace(/\r?\n$/, '') }
}
