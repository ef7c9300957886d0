/** A path for any verb, for tests that never reach what it names. */

import type { Verb } from '@latchkey/admin-api'

export function exampleOf({ path }: Verb): string {
  return path.replace(/\{(\w+)\}/g, (_, member) =>
    member === 'repository' ? 'models/acme/bert' : 'main',
  )
}
