/** The grants that two lists have in common: what both allow, or less where patterns are hard to compare. */

import { canonicalPattern, type HubTokenGrant, type Scope, scopeCovers } from '@latchkey/protocol'
import { isCovered, liesIn } from '../permission/compare-reach.ts'

export function sharedGrants(
  one: readonly HubTokenGrant[],
  other: readonly HubTokenGrant[],
): readonly HubTokenGrant[] {
  const shared = one.flatMap((grant) => other.flatMap((theirs) => sharedGrant(grant, theirs)))
  return [...new Map(shared.map((grant) => [JSON.stringify(grant), grant])).values()]
}

function sharedGrant(one: HubTokenGrant, other: HubTokenGrant): readonly HubTokenGrant[] {
  const on = narrowerPlace(one.on, other.on)
  const refs = sharedPatterns(one.refs, other.refs)
  if (on === undefined || refs?.length === 0) return []
  const contents = narrowerScope(one.contents, other.contents)
  return [refs === undefined ? { on, contents } : { on, contents, refs: [...refs] }]
}

/** Two of `*`, a namespace and a repository: one lies in the other, or they have nothing in common. */
function narrowerPlace(one: string, other: string): string | undefined {
  if (liesIn(one, other)) return one
  return liesIn(other, one) ? other : undefined
}

function narrowerScope(one: Scope, other: Scope): Scope {
  return scopeCovers(one, other) ? other : one
}

type Patterns = readonly string[] | undefined

/** Without patterns a grant speaks of every ref. Of two patterns with wildcards only equal ones are compared. */
function sharedPatterns(one: Patterns, other: Patterns): Patterns {
  if (one === undefined) return other
  if (other === undefined) return one
  const inOther = one.filter((pattern) => isCovered(pattern, other))
  const inOne = other.filter((pattern) => isCovered(pattern, one))
  return [...new Set([...inOther, ...inOne].map(canonicalPattern))]
}
