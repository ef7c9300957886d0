/** Ref rules that are at least as strict as two lists of them. */

import type { RefRule } from '../permission/access-facts.ts'
import { hasRule } from '../permission/compare-reach.ts'

/**
 * A rule for the role admin counts in either list. A rule for the role write can open a ref that a wider pattern closes,
 * so it counts only where both lists have it: then it is as specific in each of them as it is here.
 */
export function stricterRules(
  one: readonly RefRule[],
  other: readonly RefRule[],
): readonly RefRule[] {
  const kept = one.filter((rule) => rule.write === 'admin' || hasRule(other, rule))
  const added = other.filter((rule) => rule.write === 'admin' && !hasRule(one, rule))
  return [...kept, ...added]
}
