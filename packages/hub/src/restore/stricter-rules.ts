/** Ref rules that are at least as strict as two lists of them. */

import { canonicalPattern } from '@latchkey/protocol'
import type { RefRule } from '../permission/access-facts.ts'

/**
 * A rule for the role admin counts in either list. A rule for the role write can open a ref that a wider pattern closes,
 * so it counts only where both lists have it: then it is as specific in each of them as it is here.
 */
export function stricterRules(
  one: readonly RefRule[],
  other: readonly RefRule[],
): readonly RefRule[] {
  const kept = one.filter((rule) => rule.write === 'admin' || has(other, rule))
  const added = other.filter((rule) => rule.write === 'admin' && !has(one, rule))
  return [...kept, ...added]
}

function has(rules: readonly RefRule[], { pattern, write }: RefRule): boolean {
  const name = canonicalPattern(pattern)
  return rules.some((rule) => rule.write === write && canonicalPattern(rule.pattern) === name)
}
