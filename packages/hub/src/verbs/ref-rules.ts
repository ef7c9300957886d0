import { maxRefRules, refRule } from '@latchkey/admin-api'
import {
  canonicalPattern,
  formatRepoRef,
  type Refusal,
  type RepoRef,
  refuse,
} from '@latchkey/protocol'
import { z } from 'zod'
import type { RefRule } from '../permission/access-facts.ts'
import type { ChangeWork } from '../tables/directory.ts'
import type { RepositoryRow } from '../tables/rows.ts'
import { type Does, makePage } from './does.ts'
import { findRepositoryRow, noRepository } from './repository-rows.ts'

export const setRefRule: Does<'ref-rule set'> = async (
  work,
  { repository, pattern, write, allowForce },
) => {
  const row = await findRepositoryRow(work.tables, repository)
  if (row === undefined) return noRepository(repository)
  const others = refRulesOf(row).filter((rule) => !isFor(rule, pattern))
  if (others.length >= maxRefRules) return tooMany(repository)
  const rule = { pattern, write, ...(allowForce && { allowForce }) }
  await storeRefRules(work, row, [...others, rule])
  return { repository: row.path, ...rule }
}

export const listRefRules: Does<'ref-rule list'> = async ({ tables }, input) => {
  const { repository, limit, after = '' } = input
  const row = await findRepositoryRow(tables, repository)
  if (row === undefined) return noRepository(repository)
  const rules = refRulesOf(row).toSorted((one, other) => (one.pattern < other.pattern ? -1 : 1))
  return makePage(
    { rows: rules.filter((rule) => rule.pattern > after), total: rules.length, limit },
    (rule) => ({ repository: row.path, ...rule }),
    (rule) => rule.pattern,
  )
}

export const deleteRefRule: Does<'ref-rule delete'> = async (work, { repository, pattern }) => {
  const row = await findRepositoryRow(work.tables, repository)
  if (row === undefined) return noRepository(repository)
  const rules = refRulesOf(row)
  const others = rules.filter((rule) => !isFor(rule, pattern))
  if (others.length === rules.length) return noRule(repository)
  await storeRefRules(work, row, others)
  return { deleted: pattern }
}

function refRulesOf({ ref_rules }: RepositoryRow): RefRule[] {
  return z.array(refRule).parse(JSON.parse(ref_rules))
}

async function storeRefRules(
  { put }: ChangeWork,
  before: RepositoryRow,
  rules: readonly RefRule[],
): Promise<void> {
  const after = { ...before, ref_rules: JSON.stringify(rules) }
  await put([{ thing: 'repository', before, after }])
}

/** `main` and `refs/heads/main` are the same pattern. */
function isFor(rule: RefRule, pattern: string): boolean {
  return canonicalPattern(rule.pattern) === canonicalPattern(pattern)
}

function noRule(repository: RepoRef): Refusal {
  return refuse(
    'resource_not_found',
    `${formatRepoRef(repository)} has no ref rule for this pattern. List the ref rules to see which there are.`,
    { next: ['ref-rule', 'list', formatRepoRef(repository)] },
  )
}

function tooMany(repository: RepoRef): Refusal {
  return refuse(
    'conflict',
    `${formatRepoRef(repository)} has ${maxRefRules} ref rules, which is the most there can be. Delete one, or use a wider pattern.`,
    { next: ['ref-rule', 'list', formatRepoRef(repository)] },
  )
}
