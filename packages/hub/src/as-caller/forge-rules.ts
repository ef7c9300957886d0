/** What an operator decides about repositories that clients make. */

export interface ForgeRules {
  /** Whether every account may create repositories in a namespace of its own name, which is made with the first. */
  readonly ownNamespaces: boolean
  readonly repositoriesPerNamespace: number
  readonly refsPerRepository: number
}

export const usualForgeRules: ForgeRules = {
  ownNamespaces: false,
  repositoriesPerNamespace: 10_000,
  refsPerRepository: 10_000,
}
