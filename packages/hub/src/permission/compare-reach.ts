/** Whether a list of grants or ref rules allows less than the one before. Where that is hard to tell, it does. */

import {
  canonicalPattern,
  type HubTokenGrant,
  matchesRef,
  parseRepoRef,
  scopeCovers,
} from '@latchkey/protocol'
import type { RefRule } from './access-facts.ts'

/** Each grant of before must lie in one of after: two that cover it together are not looked for. */
export function grantsNarrow(
  before: readonly HubTokenGrant[],
  after: readonly HubTokenGrant[],
): boolean {
  return !before.every((grant) => after.some((wider) => liesInGrant(grant, wider)))
}

function liesInGrant(inner: HubTokenGrant, outer: HubTokenGrant): boolean {
  return (
    liesIn(inner.on, outer.on) &&
    scopeCovers(outer.contents, inner.contents) &&
    (outer.refs === undefined ||
      (inner.refs?.every((pattern) => isCovered(pattern, outer.refs ?? [])) ?? false))
  )
}

/** Whether `inner` lies in `outer`, each of them `*`, a namespace or a repository. */
export function liesIn(inner: string, outer: string): boolean {
  return outer === '*' || inner === outer || `${parseRepoRef(inner)?.namespace}/*` === outer
}

/** Compares patterns with wildcards by equality only. */
export function isCovered(pattern: string, patterns: readonly string[]): boolean {
  const name = canonicalPattern(pattern)
  return patterns.some(
    (wider) => canonicalPattern(wider) === name || (!name.includes('*') && matchesRef(wider, name)),
  )
}

/**
 * A new rule for the role admin closes refs. A rule for the role write that goes does, if one for admin is left: it may
 * have opened a ref that the other closes. A rule without force may hide one with it from a ref.
 */
export function rulesNarrow(before: readonly RefRule[], after: readonly RefRule[]): boolean {
  const isNew = (rule: RefRule) => !hasRule(before, rule)
  const isGone = (rule: RefRule) => !hasRule(after, rule)
  const isForAdmin = ({ write }: RefRule) => write === 'admin'
  if (after.some((rule) => isForAdmin(rule) && isNew(rule))) return true
  if (before.some((rule) => rule.allowForce && !hasForce(after, rule))) return true
  const closesForce = (rule: RefRule) => !rule.allowForce && isNew(rule)
  if (after.some(({ allowForce }) => allowForce) && after.some(closesForce)) return true
  return after.some(isForAdmin) && before.some((rule) => !isForAdmin(rule) && isGone(rule))
}

export function hasRule(rules: readonly RefRule[], { pattern, write }: RefRule): boolean {
  const name = canonicalPattern(pattern)
  return rules.some((rule) => rule.write === write && canonicalPattern(rule.pattern) === name)
}

/** Whether one of the rules allows force for the same pattern. */
export function hasForce(rules: readonly RefRule[], { pattern }: RefRule): boolean {
  const name = canonicalPattern(pattern)
  return rules.some((rule) => rule.allowForce && canonicalPattern(rule.pattern) === name)
}
