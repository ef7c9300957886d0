/** Accounts, repositories and hub tokens of the demo: a small team with public and private work. */

import { hashes } from './content.ts'

export const world = {
  accounts: [
    { name: 'ada', administrator: true },
    { name: 'guest' },
    { name: 'ci-bot', kind: 'service' },
  ],
  namespaces: [{ name: 'acme', members: { ada: 'admin', 'ci-bot': 'write' } }],
  repositories: [
    {
      type: 'model',
      id: 'acme/tiny-llama',
      visibility: 'public',
      defaultBranch: 'main',
      branches: {
        main: hashes.llama,
        'feature/long-context': { commit: hashes.longContext, from: 'main' },
        'release/1.0': { commit: hashes.llama, from: 'main' },
      },
      tags: { 'v1.0': hashes.llama },
      refRules: [{ pattern: 'release/*', write: 'admin' }],
    },
    {
      type: 'model',
      id: 'acme/assistant',
      visibility: 'private',
      defaultBranch: 'main',
      branches: { main: hashes.assistant },
    },
    {
      type: 'dataset',
      id: 'acme/support-tickets',
      visibility: 'private',
      defaultBranch: 'main',
      branches: { main: hashes.tickets },
    },
    {
      type: 'space',
      id: 'acme/playground',
      visibility: 'public',
      defaultBranch: 'main',
      branches: { main: hashes.playground },
    },
  ],
  hubTokens: [
    { account: 'guest', name: 'demo-read', kind: 'read' },
    { account: 'ada', name: 'demo-write', kind: 'write' },
    {
      account: 'ci-bot',
      name: 'demo-ci',
      kind: 'fine-grained',
      grants: [{ on: 'models/acme/tiny-llama', contents: 'write', refs: ['feature/**'] }],
    },
    { account: 'ada', name: 'demo-admin', kind: 'admin' },
  ],
} as const

/** The model that the commands to paste are about. */
export const modelId = 'acme/tiny-llama'
export const model = `models/${modelId}` as const

export type DemoTokenName = (typeof world.hubTokens)[number]['name']

/** Permissions of each hub token, for the screen. */
export const mayDo: Readonly<Record<DemoTokenName, string>> = {
  'demo-read': 'reads public repositories',
  'demo-write': 'reads and writes all of acme',
  'demo-ci': 'writes feature/** of tiny-llama',
  'demo-admin': 'manages the hub (--hub, /admin/v1)',
}
