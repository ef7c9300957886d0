/** What a caller can reach in one repository: the account's access, cut down to what its hub token carries. */

import { formatRepoRef, type RepoRef, type Scope, scopeCovers } from '@latchkey/protocol'
import type { Caller, Grant } from '../identity/caller.ts'
import type { RefFacts, RefRule, RepositoryFacts } from './access-facts.ts'
import { literalPrefixLength, matchesRef } from './ref-pattern.ts'
import type { Role } from './role.ts'

/** The grant part of a hub token that concerns this repository. */
export type Carried = Pick<Grant, 'contents' | 'refs'>

export function carriedBy(
  { kind, grants }: Pick<Caller, 'kind' | 'grants'>,
  repo: RepoRef,
): readonly Carried[] {
  switch (kind) {
    case 'anonymous':
    case 'read':
      return [{ contents: 'read' }]
    case 'write':
      return [{ contents: 'write' }]
    case 'fine-grained':
      return grants.filter((grant) => grantNames(grant.on, repo))
    case 'admin':
      return []
  }
}

/** The account's own role here, hub token aside: everyone reads what is public. */
export function roleHere({ role, visibility }: RepositoryFacts): Role | undefined {
  return role ?? (visibility === 'public' ? 'read' : undefined)
}

export function roleNeeded(repository: RepositoryFacts, scope: Scope, name: string): Role {
  return scope === 'read' ? 'read' : roleToWrite(repository.refRules, name)
}

/** The most specific matching rule decides, the stricter on a tie. */
function roleToWrite(rules: readonly RefRule[], name: string): Role {
  let specific = -1
  let needed: Role = 'write'
  for (const { pattern, write } of rules) {
    const length = literalPrefixLength(pattern)
    if (length < specific || !matchesRef(pattern, name)) continue
    if (length > specific || write === 'admin') needed = write
    specific = length
  }
  return needed
}

/** Whether what the hub token carries covers this ref. */
export function carriesRef(carried: readonly Carried[], scope: Scope, name: string): boolean {
  return carried.some(
    ({ contents, refs }) =>
      scopeCovers(contents, scope) &&
      (refs === undefined || refs.some((pattern) => matchesRef(pattern, name))),
  )
}

/** A tag or commit is reached through the refs that hold it: to read through one, to write through all. */
export function reachesRef(
  carried: readonly Carried[],
  scope: Scope,
  { name, holders }: Pick<RefFacts, 'holders'> & { readonly name: string },
): boolean {
  const carries = (ref: string) => carriesRef(carried, scope, ref)
  if (scope === 'read') return carries(name) || holders.some((holder) => carries(holder.name))
  return holders.length === 0 ? carries(name) : holders.every((holder) => carries(holder.name))
}

function grantNames(on: string, repo: RepoRef): boolean {
  return on === '*' || on === `${repo.namespace}/*` || on === formatRepoRef(repo)
}
