/** What an `admin` hub token can be limited to. `apply` reaches everything. */

export const verbGroups = [
  'account',
  'namespace',
  'repository',
  'ref',
  'hub-token',
  'revoke',
  'keys',
  'changes',
  'explain',
  'apply',
] as const

export type VerbGroup = (typeof verbGroups)[number]
