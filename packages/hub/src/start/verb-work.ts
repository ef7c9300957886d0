/** Collects the dependencies of the operations of a running hub. */

import { repositoryFinder } from '../access/find-repository.ts'
import { usualCreationRules } from '../as-caller/creation-rules.ts'
import type { IssueDeps } from '../issue/issue-token.ts'
import { ringKeys } from '../revocation/report/ring-keys.ts'
import { verifyOwnToken } from '../revocation/report/verify-own-token.ts'
import type { VerbWork } from '../run-verb/verb-deps.ts'
import type { HubContext } from './hub-context.ts'

export function verbWorkOf(
  { settings, store, keys, clock, randomBytes, providers }: HubContext,
  { policy }: Pick<IssueDeps, 'policy'>,
): VerbWork {
  return {
    directory: store.directory,
    findRepository: repositoryFinder(store.access, clock),
    policy,
    providers: [...providers.values()].map((provider) => provider.settings),
    keys: keys.work,
    verifyOwnToken: verifyOwnToken({ keys: ringKeys(keys), issuer: settings.publicUrl }),
    hubTokenPrefix: settings.hubTokenPrefix,
    repositoriesPerNamespace: (settings.creation ?? usualCreationRules).repositoriesPerNamespace,
    randomBytes,
  }
}
