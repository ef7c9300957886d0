/** Each check stops an attack: without it, the test of that attack fails. */

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { hasNoBrowser } from '@latchkey/testing/browser/open-browser'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { describe, expect, test } from 'vitest'
import { removedChecks } from './removed/checks.ts'
import { type RemovedCheck, sourceFile, testFile, withoutCheck } from './removed/removed-check.ts'

/** Their programs are missing. */
const skippedFiles = [
  ...(hasNoBrowser ? ['attacks/browser.test.ts'] : []),
  ...(isPostgresMissing('no check of its tests is removed')
    ? ['attacks/guessed-codes.test.ts']
    : []),
]

test('there are checks of all attacks, each once', () => {
  const names = removedChecks.map(({ check }) => check)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(70)
})

test.each(removedChecks)('the sources have the check: $check', (removed) => {
  for (const [file] of removed.edits) {
    const path = sourceFile(file)
    const source = readFileSync(path, 'utf8')
    expect(withoutCheck(removed, path, source)).not.toBe(source)
  }
})

describe('the attack is seen without the check:', { tags: 'soak' }, () => {
  test.each(removedChecks)('$check', async (removed) => {
    if (skippedFiles.includes(removed.test[0])) return
    const results = await resultsWithout(removed)
    expect(results.filter(({ status }) => status === 'passed')).toEqual([])
    expect(results.filter(({ status }) => status === 'failed').length).toBeGreaterThan(0)
  })
})

interface Result {
  readonly fullName: string
  readonly status: 'passed' | 'failed' | 'skipped'
}

/** Of the one test, in a process that loads the sources without the check. */
async function resultsWithout(removed: RemovedCheck): Promise<readonly Result[]> {
  const output = join(temporaryFolder(), 'results.json')
  const require = createRequire(import.meta.url)
  const vitest = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs')
  const config = join(import.meta.dirname, 'removed/one-test.config.ts')
  const pattern = removed.test[1].replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const { NODE_OPTIONS: _, ...env } = process.env
  const words = ['run', testFile(removed), '-t', pattern, '--config', config]
  const reporting = ['--reporter=json', `--outputFile=${output}`]
  const options = { env: { ...env, REMOVED_CHECK: removed.check } }
  // It exits with 1, as it should.
  await promisify(execFile)(process.execPath, [vitest, ...words, ...reporting], options).catch(
    () => {},
  )
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as {
    testResults: readonly { readonly assertionResults: readonly Result[] }[]
  }
  return testResults.flatMap(({ assertionResults }) => assertionResults)
}
