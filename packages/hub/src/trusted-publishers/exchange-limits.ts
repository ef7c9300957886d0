/** How often jobs may exchange id tokens: each exchange is a row and an entry of the journal. */

import { limiter, type SharedCounts } from '@latchkey/service/limits/rate-limiter'
import type { Stopwatch } from '@latchkey/service/machine/time'
import type { PublisherRow, RepositoryRow } from '../tables/rows.ts'

/** One rule may serve a whole fleet of jobs. */
export const exchangesOfRulePerMinute = 300
export const exchangesOfRepositoryPerMinute = 600
/** Its administrators can make many repositories, each with many rules. */
export const exchangesOfNamespacePerMinute = 1000

/** Milliseconds until another exchange by this rule is allowed. One that has to wait counts nowhere. */
export type ExchangeLimit = (
  rule: Pick<PublisherRow, 'account_id'>,
  repository: Pick<RepositoryRow, 'uid' | 'namespace_id'>,
) => number

export function exchangeLimit(stopwatch: Stopwatch, counts?: SharedCounts): ExchangeLimit {
  const limitFor = (perMinute: number, name: string) =>
    limiter(perMinute, stopwatch, counts?.limit(name))
  const ofRule = limitFor(exchangesOfRulePerMinute, 'exchange rule')
  const ofRepository = limitFor(exchangesOfRepositoryPerMinute, 'exchange repository')
  const ofNamespace = limitFor(exchangesOfNamespacePerMinute, 'exchange namespace')
  return (rule, repository) => {
    const limits = [
      [ofRule, rule.account_id],
      [ofRepository, repository.uid],
      [ofNamespace, repository.namespace_id],
    ] as const
    const waitMs = Math.max(...limits.map(([limit, key]) => limit.wait(key)))
    if (waitMs === 0) for (const [limit, key] of limits) limit.take(key)
    return waitMs
  }
}
