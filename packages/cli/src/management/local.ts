/** The verbs on the database of this machine, as the machine's owner. */

import { runVerb, type Store } from '@latchkey/hub/management'
import { pooledRandom } from '@latchkey/service/random'
import { systemClock } from '@latchkey/service/system-clock'
import type { Values } from '../configuration/options.ts'
import type { Management } from './management.ts'

export function localManagement(
  { directory, findRepository, close }: Store,
  values: Values,
): Management {
  const randomBytes = pooledRandom()
  return {
    run: async (verb, input) =>
      runVerb(verb, verb.input.parse(input), {
        directory,
        now: systemClock(),
        randomBytes,
        hubTokenPrefix: values.hubTokenPrefix,
        actor: async () => undefined,
        findRepository,
        policy: { hidePrivateRepositories: values.hidePrivateRepositories },
      }),
    close,
  }
}
