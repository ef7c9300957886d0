/** Writes down what the packages declare, for reviewers: `api/<package>.d.ts`. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { build } from './build.ts'
import { reportFile, reportOf } from './packages/api-report.ts'
import { libraries } from './packages/packages.ts'

await build()
for (const name of libraries) {
  mkdirSync(dirname(reportFile(name)), { recursive: true })
  writeFileSync(reportFile(name), reportOf(name))
}
