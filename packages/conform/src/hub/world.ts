/** The accounts, repositories and hub tokens that the checks of a hub need, as a file for `latchkey apply`. */

export const worldCommits = {
  main: '8d2b6f0c3a1e4957b60d7c21f4e8a935d0b17c62',
  dev: 'c41f9a7e0d6358b2714e5fa96cd3082b6e9f1a45',
  feature: '37b0e6d9c2f4a8156e0db37c94fa218d5c6b9e04',
  odd: '5a90c3e17bd264f80e9372ac1d5b86f4e02c7d19',
  old: '62d8f1a4b7039ce5d2186f0a3b94c7e8d5f01a9b',
  elsewhere: 'b3e07d9a16c4f2850a7e1d3c9b68f452e0d7a183',
} as const

/** Each byte of its name that a path cannot have as it is, and one that looks encoded already. */
const oddBranch = 'feature/x#1%2F+é'

export const world = {
  accounts: [
    { name: 'writer' },
    { name: 'reader' },
    { name: 'stranger' },
    { name: 'robot', kind: 'service' },
  ],
  namespaces: [{ name: 'conform', members: { writer: 'write', reader: 'read', robot: 'write' } }],
  repositories: [
    {
      type: 'model',
      id: 'conform/private',
      visibility: 'private',
      defaultBranch: 'main',
      branches: {
        main: worldCommits.main,
        dev: { commit: worldCommits.dev, from: 'main' },
        'feature/x': worldCommits.feature,
        [oddBranch]: worldCommits.odd,
      },
      tags: { 'v1.0': worldCommits.main },
      refs: { 'refs/pr/1': worldCommits.dev },
      commits: { [worldCommits.old]: ['main'] },
    },
    {
      type: 'model',
      id: 'conform/open',
      visibility: 'public',
      defaultBranch: 'main',
      branches: { main: worldCommits.elsewhere },
    },
    {
      type: 'model',
      id: 'conform/Odd.name_1-x',
      visibility: 'private',
      defaultBranch: 'main',
      branches: { main: worldCommits.main },
    },
    {
      type: 'dataset',
      id: 'conform/data',
      visibility: 'private',
      defaultBranch: 'main',
      branches: { main: worldCommits.main },
    },
    {
      type: 'space',
      id: 'conform/demo',
      visibility: 'private',
      defaultBranch: 'main',
      branches: { main: worldCommits.main },
    },
  ],
  hubTokens: [
    { account: 'writer', name: 'write', kind: 'write' },
    { account: 'writer', name: 'read', kind: 'read' },
    { account: 'reader', name: 'write', kind: 'write' },
    { account: 'reader', name: 'read', kind: 'read' },
    { account: 'stranger', name: 'write', kind: 'write' },
    { account: 'robot', name: 'write', kind: 'write' },
    {
      account: 'robot',
      name: 'only-main',
      kind: 'fine-grained',
      grants: [{ on: 'models/conform/private', contents: 'write', refs: ['main'] }],
    },
    {
      account: 'robot',
      name: 'only-read',
      kind: 'fine-grained',
      grants: [{ on: 'conform/*', contents: 'read' }],
    },
  ],
} as const

/** As the tokens file names them: `writer/write`. */
export type HubTokenName = NamesOf<(typeof world.hubTokens)[number]>

type NamesOf<Row> = Row extends { readonly account: infer Account; readonly name: infer Name }
  ? `${Account & string}/${Name & string}`
  : never

export const hubTokenNames: readonly string[] = world.hubTokens.map(
  ({ account, name }) => `${account}/${name}`,
)

export function worldText(): string {
  return `${JSON.stringify(world, undefined, 2)}\n`
}
