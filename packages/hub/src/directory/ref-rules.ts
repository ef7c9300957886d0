/** Ref rules: which role writing a matching ref needs. */

import { formatRepoRef, type Refusal, type RepoRef, refuse } from '@latchkey/protocol'
import { z } from 'zod'
import type { RefRule } from '../permission/access-facts.ts'
import { canonicalPattern } from '../permission/ref-pattern.ts'
import type { Tables } from './directory.ts'
import { operation } from './operation.ts'
import { makePage, pageOf, paging } from './page.ts'
import {
  findRepositoryRow,
  namedRepository,
  noRepository,
  type RepositoryRow,
} from './repositories.ts'
import { refPattern, refRule, writeRole } from './words.ts'

export const mostRefRules = 64

const pattern = refPattern.describe(
  'Which refs: main, release/* or refs/pr/**; a bare pattern means branches, * stays within a segment.',
)

const shown = z.object({ repository: z.string(), pattern: z.string(), write: writeRole })

export const setRefRule = operation({
  summary: 'Say which role writing the refs that match a pattern needs.',
  input: z.strictObject({
    repository: namedRepository,
    pattern,
    write: writeRole.describe('The role that writing needs.'),
  }),
  output: shown,
  async run({ tables }, { repository, pattern, write }) {
    const row = await findRepositoryRow(tables, repository)
    if (row === undefined) return noRepository(repository)
    const others = refRulesOf(row).filter((rule) => !isFor(rule, pattern))
    if (others.length >= mostRefRules) return tooMany(repository)
    await storeRefRules(tables, row.uid, [...others, { pattern, write }])
    return { repository: row.path, pattern, write }
  },
})

export const listRefRules = operation({
  summary: 'List the ref rules of a repository.',
  input: z.strictObject({ repository: namedRepository, ...paging }),
  output: pageOf(shown),
  async run({ tables }, { repository, limit, after = '' }) {
    const row = await findRepositoryRow(tables, repository)
    if (row === undefined) return noRepository(repository)
    const rules = refRulesOf(row).toSorted((one, other) => (one.pattern < other.pattern ? -1 : 1))
    return makePage(
      { rows: rules.filter((rule) => rule.pattern > after), total: rules.length, limit },
      (rule) => ({ repository: row.path, ...rule }),
      (rule) => rule.pattern,
    )
  },
})

export const deleteRefRule = operation({
  summary: 'Drop the ref rule of a pattern.',
  input: z.strictObject({ repository: namedRepository, pattern }),
  output: z.object({ deleted: z.string().describe('The pattern that has no rule any more.') }),
  async run({ tables }, { repository, pattern }) {
    const row = await findRepositoryRow(tables, repository)
    if (row === undefined) return noRepository(repository)
    const rules = refRulesOf(row)
    const others = rules.filter((rule) => !isFor(rule, pattern))
    if (others.length === rules.length) return noRule(repository)
    await storeRefRules(tables, row.uid, others)
    return { deleted: pattern }
  },
})

export function refRulesOf({ ref_rules }: RepositoryRow): RefRule[] {
  return z.array(refRule).parse(JSON.parse(ref_rules))
}

async function storeRefRules(tables: Tables, uid: string, rules: RefRule[]): Promise<void> {
  await tables
    .updateTable('repositories')
    .set({ ref_rules: JSON.stringify(rules) })
    .where('uid', '=', uid)
    .execute()
}

/** `main` and `refs/heads/main` are the same pattern. */
function isFor(rule: RefRule, pattern: string): boolean {
  return canonicalPattern(rule.pattern) === canonicalPattern(pattern)
}

function noRule(repository: RepoRef): Refusal {
  return refuse(
    'resource_not_found',
    `${formatRepoRef(repository)} has no ref rule for this pattern. List the ref rules to see which there are.`,
  )
}

function tooMany(repository: RepoRef): Refusal {
  return refuse(
    'conflict',
    `${formatRepoRef(repository)} has ${mostRefRules} ref rules, which is the most there can be. Delete one, or use a wider pattern.`,
  )
}
