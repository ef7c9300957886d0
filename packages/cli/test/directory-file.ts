/** A small directory that tests apply. */

export const commit = 'a'.repeat(40)

export const directoryFile = {
  accounts: [{ name: 'ada', administrator: true }, { name: 'guest' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    {
      type: 'model',
      id: 'acme/bert',
      visibility: 'private',
      branches: { main: commit, 'feature/x': { commit, from: 'main' } },
      refRules: [{ pattern: 'release/*', write: 'admin' }],
    },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'admin', kind: 'admin' },
  ],
} as const

export const directoryText = JSON.stringify(directoryFile)
