/** All that issuing needs, over a store in memory. */

import { defaultStorage, storageAddress } from '@latchkey/protocol'
import { idsFrom, pooledRandom } from '@latchkey/service/machine/random'
import { generateSigningKey } from '@latchkey/token/signing'
import type { AccessStore } from '../../src/access/access-store.ts'
import { accessOf } from '../../src/access/find-access.ts'
import { versionPerTurn } from '../../src/access/watch-version.ts'
import { makeHubToken } from '../../src/identity/hub-token.ts'
import { knownAccounts } from '../../src/issue/known-accounts.ts'
import { requestLimits } from '../../src/issue/request-limits.ts'
import { type KnownDeps, knownRequests } from '../../src/issue/with-known.ts'

export const signingKey = await generateSigningKey('ES256')

export function newBearer(): string {
  return `Bearer ${makeHubToken('lk_', pooledRandom()).reveal()}`
}

/** Its limits count by a watch that stands still. */
export function issuingOver(store: AccessStore, requestsPerMinute = 0): KnownDeps {
  const access = accessOf(versionPerTurn(store).access)
  return {
    ...access,
    findRepository: async () => undefined,
    knownRequests: knownRequests(access),
    accounts: knownAccounts(),
    limits: requestLimits({ requestsPerMinute, failuresPerMinute: 0 }, () => 0),
    noteUse: () => {},
    admitsAnonymous: false,
    policy: { hidePrivateRepositories: false },
    compatible: false,
    followKeys: () => {},
    canSign: () => true,
    mint: {
      issuer: 'https://hub.example',
      storages: new Map([[defaultStorage, storageAddress('https://cas.example/r/{repo}/{ref}')]]),
      lifetimeSeconds: 900,
      signingKey: () => signingKey,
      newTokenId: idsFrom(pooledRandom()),
    },
  }
}
