/** The beginning of a history: something of every kind. */

import { commit } from '@latchkey/testing/hub/hub-settings'
import type { Step } from './steps.ts'

const file = {
  accounts: [{ name: 'ada', administrator: true }, { name: 'bob' }],
  namespaces: [
    {
      name: 'acme',
      members: { ada: 'admin' },
      teams: { curators: { role: 'read', members: { bob: {} }, groups: { corp: ['staff'] } } },
    },
    { name: 'beta' },
  ],
  repositories: [
    {
      type: 'model',
      id: 'acme/bert',
      branches: { main: commit('1'), dev: { commit: commit('2'), from: 'main' } },
      tags: { v1: commit('1') },
      collaborators: { bob: 'write' },
      teams: { curators: 'admin' },
      refRules: [{ pattern: 'main', write: 'admin' }],
    },
    { type: 'dataset', id: 'beta/set', branches: { main: commit('1') } },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'admin' },
    { account: 'bob', name: 'ci', kind: 'write' },
  ],
}

export const beginning: Step = { do: 'verb', words: 'apply', input: { file } }
