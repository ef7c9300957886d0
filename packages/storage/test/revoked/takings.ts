/** The ways in which a hub takes a storage token back, each as an operator would do it. */

import { commit } from '@latchkey/testing/hub/hub-settings'
import type { RunVerb } from '@latchkey/testing/hub/run-verbs'
import type { World } from '@latchkey/testing/hub/world'

/** What is taken back: a token of `writer` for this revision. */
export interface Taken {
  readonly repository: string
  /** The id of the hub token that asked for it. */
  readonly hubToken: string
  /** Its account and name. */
  readonly holder: string
}

export interface Taking {
  readonly revision: string
  take(run: Run, taken: Taken): Promise<unknown>
  /** Whether another account may go on at the same revision. */
  readonly sparesOthers: boolean
}

export interface Run {
  readonly done: RunVerb
  readonly store: World['store']
}

const writer = { account: 'writer' }

export const takings: Readonly<Record<string, Taking>> = {
  'whose account was disabled': {
    revision: 'main',
    sparesOthers: true,
    async take({ done }) {
      await done('account set', { ...writer, disabled: true })
      // Within the same moment: what was taken back stays so.
      await done('account set', { ...writer, disabled: false })
    },
  },
  'whose account left the namespace': {
    revision: 'main',
    sparesOthers: true,
    async take({ done }) {
      await done('member delete', { namespace: 'acme', ...writer })
      await done('member set', { namespace: 'acme', ...writer, role: 'write' })
    },
  },
  'whose hub token was revoked': {
    revision: 'main',
    sparesOthers: true,
    take: ({ done }, { hubToken }) => done('hub-token revoke', { hubToken }),
  },
  'whose tag was moved': {
    revision: 'v1',
    sparesOthers: false,
    take: ({ done }, { repository }) =>
      done('ref set', { repository, ref: 'refs/tags/v1', commit: commit('b') }),
  },
  'whose branch was deleted': {
    revision: 'main',
    sparesOthers: false,
    take: ({ done }, { repository }) => done('ref delete', { repository, ref: 'main' }),
  },
  'that is older than a restore': {
    revision: 'main',
    sparesOthers: false,
    take: ({ store }) =>
      store.directory.change(({ putAs }) =>
        putAs({ verb: 'restore', user: 'operator' })([
          { thing: 'cut-off', cuts: [{ kind: 'all', id: '' }] },
        ]),
      ),
  },
}
