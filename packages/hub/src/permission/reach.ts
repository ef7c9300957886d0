/** Computes a caller's reach in one repository: the account's access, limited by its hub token. */

import {
  formatRepoRef,
  type HubTokenGrant,
  literalPrefixLength,
  matchesRef,
  type RepoRef,
  type Role,
  type Scope,
  scopeCovers,
} from '@latchkey/protocol'
import type { Caller } from '../identity/caller.ts'
import type { RefFacts, RefRule, RepositoryFacts } from './access-facts.ts'

/** The grant part of a hub token that concerns this repository. */
export type CarriedGrant = Pick<HubTokenGrant, 'contents' | 'refs'>

export function carriedBy(
  { kind, grants }: Pick<Caller, 'kind' | 'grants'>,
  repo: RepoRef,
): readonly CarriedGrant[] {
  switch (kind) {
    case 'anonymous':
    case 'read':
      return [{ contents: 'read' }]
    case 'write':
      return [{ contents: 'write' }]
    case 'fine-grained':
      return grants.filter((grant) => grantNames(grant.on, repo))
    case 'admin':
    case 'storage':
    case 'forge':
      return []
  }
}

/** The account's own role here, hub token aside: everyone reads what is public. */
export function roleHere({ role, visibility }: RepositoryFacts): Role | undefined {
  return role ?? (visibility === 'public' ? 'read' : undefined)
}

/** To propose, reading suffices where no ref rule says more. */
export function roleNeeded(
  { refRules }: RepositoryFacts,
  scope: Scope,
  { name, asProposer }: { readonly name: string; readonly asProposer: boolean },
): Role {
  if (scope === 'read') return 'read'
  return asProposer ? (roleByRule(refRules, name) ?? 'read') : roleToWrite(refRules, name)
}

export function roleToWrite(rules: readonly RefRule[], name: string): Role {
  return roleByRule(rules, name) ?? 'write'
}

/** Whether the ref may leave the history that it has. Without a rule none may. */
export function allowsForce(rules: readonly RefRule[], name: string): boolean {
  const deciding = decidingRules(rules, name)
  return deciding.length > 0 && deciding.every(({ allowForce }) => allowForce === true)
}

/** The stricter on a tie. */
function roleByRule(rules: readonly RefRule[], name: string): Role | undefined {
  const deciding = decidingRules(rules, name)
  return deciding.find(({ write }) => write === 'admin')?.write ?? deciding[0]?.write
}

/** The most specific rules that match. */
function decidingRules(rules: readonly RefRule[], name: string): readonly RefRule[] {
  let specific = -1
  let deciding: RefRule[] = []
  for (const rule of rules) {
    const length = literalPrefixLength(rule.pattern)
    if (length < specific || !matchesRef(rule.pattern, name)) continue
    if (length > specific) deciding = []
    deciding.push(rule)
    specific = length
  }
  return deciding
}

/** Whether what the hub token carries covers this ref. */
export function carriesRef(carried: readonly CarriedGrant[], scope: Scope, name: string): boolean {
  return carried.some(
    ({ contents, refs }) =>
      scopeCovers(contents, scope) &&
      (refs === undefined || refs.some((pattern) => matchesRef(pattern, name))),
  )
}

/** Whether no ref is left out, whatever it is called. */
export function carriesEveryRef(carried: readonly CarriedGrant[], scope: Scope): boolean {
  return carried.some(({ contents, refs }) => scopeCovers(contents, scope) && refs === undefined)
}

/** The columns of a ref that decide who reaches it. */
export type HeldRef = Pick<RefFacts, 'holders' | 'pastHolders'> & { readonly name: string }

/** A tag or commit is read through one ref that holds it, and written through all that hold or held it. */
export function reachesRef(carried: readonly CarriedGrant[], scope: Scope, ref: HeldRef): boolean {
  const { name, holders } = ref
  const carries = (held: string) => carriesRef(carried, scope, held)
  if (scope === 'read') return carries(name) || holders.some((holder) => carries(holder.name))
  return (holders.length > 0 || carries(name)) && everHolding(ref).every(carries)
}

/** The refs that hold a tag or commit, and the deleted ones that did, by name. */
export function everHolding({ holders, pastHolders }: Omit<HeldRef, 'name'>): readonly string[] {
  return [...holders.map(({ name }) => name), ...pastHolders]
}

function grantNames(on: string, repo: RepoRef): boolean {
  return on === '*' || on === `${repo.namespace}/*` || on === formatRepoRef(repo)
}
