/** A path for any verb, for tests that never reach what it names. */

import type { Verb } from '../../src/directory/verb.ts'

export function exampleOf({ path }: Verb): string {
  return path.replace(/\{(\w+)\}/g, (_, member) =>
    member === 'repository' ? 'models/acme/bert' : 'main',
  )
}
