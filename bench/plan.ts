/** The capacity plan: printed for the results that are named, or written into the documents for those that are committed. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hotKeys } from './issue/directory.ts'
import { readResults } from './measure/read-results.ts'
import { costsFrom } from './plan/costs.ts'
import { planText, withPlan } from './plan/plan-text.ts'

const assumed = {
  repositories: 1e7,
  tokenRequestsPerSecond: 100_000,
  changesPerSecond: 0,
  hotRepositories: hotKeys,
  busy: 0.7,
  storageRequestsPerToken: 10,
  connectionsOfHub: 16,
  postgresCores: 32,
  postgresConnections: 500,
}

const files = process.argv.slice(2)
const { figures, note } = readResults(files)
const plan = [planText(costsFrom(figures), assumed), ...(note === '' ? [] : ['', note])].join('\n')
console.log(plan)
if (files.length === 0) {
  const document = join(import.meta.dirname, '../docs/performance.md')
  writeFileSync(document, withPlan(readFileSync(document, 'utf8'), plan))
}
