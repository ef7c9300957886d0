/** Collects the dependencies of the token request from a running hub. */

import { idsFrom } from '@latchkey/service/machine/random'
import { accessOf } from '../access/find-access.ts'
import { repositoryFinder } from '../access/find-repository.ts'
import { knownAccounts } from '../issue/known-accounts.ts'
import { requestLimits } from '../issue/request-limits.ts'
import { type KnownDeps, knownRequests } from '../issue/with-known.ts'
import { storageAddresses } from '../minting/storage-names.ts'
import type { HubContext } from './hub-context.ts'

export function issuingOf({
  settings,
  store,
  keys,
  uses,
  clock,
  stopwatch,
  randomBytes,
  counts,
}: HubContext): KnownDeps {
  const access = accessOf(store.access)
  return {
    ...access,
    findRepository: repositoryFinder(store.access, clock),
    knownRequests: knownRequests(access),
    accounts: knownAccounts(),
    limits: requestLimits(settings.limits, stopwatch, counts),
    noteUse: uses.note,
    admitsAnonymous: settings.anonymousPublicRead,
    policy: { hidePrivateRepositories: settings.hidePrivateRepositories },
    compatible: settings.compat.huggingface,
    followKeys: keys.follow,
    canSign: keys.canSign,
    mint: {
      issuer: settings.publicUrl,
      storages: storageAddresses(settings),
      lifetimeSeconds: settings.token.lifetimeSeconds,
      signingKey: () => keys.signing,
      newTokenId: idsFrom(randomBytes),
    },
  }
}
