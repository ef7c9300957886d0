/** Issuing over the facts of one decision vector, in place of a directory. */

import { noJournalNumber } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { anonymous } from '../../src/identity/caller.ts'
import { defaultPrefix, makeHubToken } from '../../src/identity/hub-token.ts'
import { identifyCaller } from '../../src/identity/identify-caller.ts'
import type { IssueDeps } from '../../src/issue/issue-token.ts'
import { knownAccounts } from '../../src/issue/known-accounts.ts'
import type { Case } from './read-vectors.ts'

export const bearer = `Bearer ${makeHubToken(defaultPrefix, pooledRandom()).reveal()}`
const prefixes = new Set([defaultPrefix])

export function issuingFor({ caller, repository, policy }: Case): IssueDeps {
  return {
    findAccess: async ({ now }) => ({
      asOf: noJournalNumber,
      learned: { steadyMs: 0, wallMs: 0 },
      isCurrent: true,
      isRecurring: false,
      caller: caller === 'none' ? anonymous : identifyCaller(caller, now),
      repository,
    }),
    findRepository: async () => undefined,
    knownPrefixes: () => prefixes,
    currentPrefixes: () => prefixes,
    isFresh: () => true,
    limits: {
      forHubToken: () => undefined,
      forAnonymous: () => undefined,
      forFailure: () => undefined,
      isReached: () => false,
    },
    accounts: knownAccounts(),
    noteUse: () => {},
    admitsAnonymous: policy.anonymousPublicRead,
    policy,
    compatible: policy.compatible,
    followKeys: () => {},
    canSign: () => true,
    mint: neverAsked(),
  }
}

function neverAsked(): IssueDeps['mint'] {
  return new Proxy({} as IssueDeps['mint'], {
    get: () => {
      throw new Error('a decision mints nothing')
    },
  })
}
