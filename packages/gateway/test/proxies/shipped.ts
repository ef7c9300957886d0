/** The example files as they are shipped, with nothing but addresses and paths put in the place of the documented ones. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const examples = join(import.meta.dirname, '../../../../examples')

export type Replacement = readonly [documented: string, here: string]

export function shipped(file: string, replacements: readonly Replacement[] = []): string {
  const text = readFileSync(join(examples, file), 'utf8')
  return replacements.reduce((result, [documented, here]) => {
    if (!result.includes(documented)) throw new Error(`${file} does not say ${documented} any more`)
    return result.replaceAll(documented, here)
  }, text)
}
