/** The verbs on the database of this machine, as the machine's owner. */

import { interpreted } from '@latchkey/admin-api'
import {
  findMasterKey,
  keyMaker,
  keyWorkOf,
  repositoryFinder,
  runVerb,
  type Store,
  storedVerifyingKeys,
  targetOf,
  usualCreationRules,
  type VerbDeps,
  verifyOwnToken,
} from '@latchkey/hub/management'
import { machineUser } from '@latchkey/service/machine/data-directory'
import { pooledRandom } from '@latchkey/service/machine/random'
import { systemClock } from '@latchkey/service/machine/time'
import { keySettings, storeSettings } from '../configuration/hub-settings.ts'
import type { Values } from '../configuration/options.ts'
import { recordCommand } from './command-log.ts'
import { type Opening, openLocalStore } from './local-store.ts'
import type { Management } from './management.ts'

export async function openLocalManagement(values: Values, opening: Opening): Promise<Management> {
  return localManagement(await openLocalStore(storeSettings(values), opening), values)
}

export function localManagement(
  { directory, access, close }: Store,
  values: Values,
  secrets: Pick<VerbDeps, 'secretBytes'> = {},
): Management {
  const randomBytes = pooledRandom()
  const { data } = storeSettings(values)
  const { masterKey } = values
  const verifying = verifyOwnToken({
    keys: (tables) => storedVerifyingKeys(tables, { data, masterKey }),
    issuer: values.publicUrl,
  })
  return {
    async run(verb, members) {
      const input = verb.input.parse(members, interpreted)
      const work = () =>
        runVerb(verb, input, {
          directory,
          now: systemClock(),
          randomBytes,
          ...secrets,
          hubTokenPrefix: values.hubTokenPrefix,
          actor: async () => undefined,
          user: machineUser(),
          findRepository: repositoryFinder(access, systemClock),
          verifyOwnToken: verifying,
          providers: values['identity.providers'],
          repositoriesPerNamespace: usualCreationRules.repositoriesPerNamespace,
          policy: { hidePrivateRepositories: values.hidePrivateRepositories },
          keys: keyWorkIn(data, values),
        })
      if (verb.method === 'GET') return work()
      const target = (answer: unknown) => targetOf(input, answer)
      return recordCommand(data, { verb: verb.words, target, work })
    },
    close,
  }
}

/** The master key is read only when a key is made. */
function keyWorkIn(data: string, values: Values) {
  const { token, keys } = keySettings(values)
  return keyWorkOf(
    { token, keys },
    keyMaker((keys) => values.masterKey ?? findMasterKey(data, keys)),
  )
}
