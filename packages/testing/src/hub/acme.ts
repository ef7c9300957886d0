/** The organisation that most tests are about: every role, every visibility, every kind of ref and hub token. */

import { commit } from './hub-settings.ts'

export const acme = {
  accounts: [
    { name: 'maintainer', administrator: true },
    { name: 'writer' },
    { name: 'reader' },
    { name: 'stranger' },
    { name: 'guest' },
    { name: 'ci-bot', kind: 'service' },
  ],
  namespaces: [
    {
      name: 'acme',
      members: { maintainer: 'admin', writer: 'write', reader: 'read', 'ci-bot': 'write' },
    },
  ],
  repositories: [
    {
      type: 'model',
      id: 'acme/bert',
      visibility: 'private',
      branches: {
        main: commit('a'),
        'release/1': commit('b'),
        dev: { commit: commit('c'), from: 'main' },
        'feature/x#1%2F+é': commit('d'),
      },
      tags: { 'v1.0': commit('a') },
      refs: { 'refs/pr/1': commit('e') },
      commits: { [commit('f')]: ['main'] },
      collaborators: { guest: 'write' },
      refRules: [{ pattern: 'release/*', write: 'admin' }],
    },
    { type: 'model', id: 'acme/open', visibility: 'public', branches: { main: commit('1') } },
    { type: 'dataset', id: 'acme/bert', visibility: 'public', branches: { main: commit('2') } },
    { type: 'space', id: 'acme/demo', visibility: 'private', branches: { main: commit('3') } },
  ],
  hubTokens: [
    { account: 'maintainer', name: 'write', kind: 'write' },
    { account: 'maintainer', name: 'admin', kind: 'admin' },
    { account: 'writer', name: 'write', kind: 'write' },
    { account: 'writer', name: 'read', kind: 'read' },
    { account: 'reader', name: 'write', kind: 'write' },
    { account: 'stranger', name: 'write', kind: 'write' },
    { account: 'guest', name: 'write', kind: 'write' },
    {
      account: 'ci-bot',
      name: 'main-only',
      kind: 'fine-grained',
      grants: [{ on: 'models/acme/bert', contents: 'write', refs: ['main'] }],
    },
    {
      account: 'ci-bot',
      name: 'read-acme',
      kind: 'fine-grained',
      grants: [{ on: 'acme/*', contents: 'read' }],
    },
  ],
} as const
