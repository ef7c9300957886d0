/** The test command: every step is a claim that can be false. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const results = mkdtempSync(join(tmpdir(), 'latchkey-test-'))

interface Step {
  readonly claim: string
  readonly command: readonly string[]
}

interface Counts {
  passed: number
  failed: number
  skipped: string[]
}

// biome-ignore format: a table is read by its columns
const steps: readonly Step[] = [
  { claim: 'what the tests drive was looked for',                 command: ['node', 'scripts/find-tools.ts'] },
  { claim: 'types hold',                                          command: ['tsc', '--noEmit'] },
  { claim: 'the code is formatted and free of lint',              command: ['biome', 'check', '--error-on-warnings', 'packages', 'scripts', 'bench', 'examples', 'package.json', 'vitest.config.ts'] },
  { claim: 'rooms look one way',                                  command: ['node', 'scripts/check-rooms.ts'] },
  { claim: 'the lockfile holds no download addresses',            command: ['node', 'scripts/check-lockfile.ts'] },
  { claim: 'the shared words and the token keep their promises',  command: vitest('packages/protocol', 'packages/token', 'packages/service') },
  { claim: 'the decision vectors pass, and no decision grants more than the account has', command: vitest('packages/hub/test/permission', 'packages/hub/test/identity', 'packages/hub/test/minting', 'packages/hub/test/issue') },
  { claim: 'the directory changes whole or not at all',           command: vitest('packages/hub/test/directory', 'packages/hub/test/admin', 'packages/hub/test/stores', 'packages/hub/test/keys') },
  { claim: 'the hub answers every row of the protocol',           command: vitest('packages/hub/test/http') },
  { claim: 'the vectors pass: the gate lets in the right token and no other, in every form', command: vitest('packages/gate/test/vectors', 'packages/gate/test/adapters', 'packages/gate/test/check', 'packages/gate/test/request', 'packages/gate/test/place', 'packages/gate/test/token', 'packages/gate/test/keys') },
  { claim: 'the gateway judges every request and streams every body whole', command: vitest('packages/gate/test/gateway') },
  { claim: 'nobody gets past nginx and Caddy with the shipped configurations', command: vitest('packages/gate/test/proxies') },
  { claim: 'examples run, also in another language',              command: vitest('packages/gate/test/examples', 'packages/gate/test/anywhere') },
  { claim: 'the command does what its help says',                 command: vitest('packages/cli') },
  { claim: 'no secret reaches a log, a body, a metric or a file', command: vitest('packages/hub/test/secrets') },
  { claim: 'what cannot start says so in one line and loses nothing', command: vitest('packages/hub/test/operations') },
  { claim: 'a crash leaves before or after, never between',       command: vitest('packages/hub/test/crash') },
  { claim: 'docs match the source',                               command: vitest('scripts/test') },
]

const counts: Counts = { passed: 0, failed: 0, skipped: [] }
for (const [index, step] of steps.entries()) run(step, index)
rmSync(results, { recursive: true, force: true })
for (const [name, tests] of Map.groupBy(counts.skipped, (skipped) => skipped)) {
  console.log(`NOT TESTED HERE: ${name}${tests.length > 1 ? ` (${tests.length} tests)` : ''}`)
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped.length} skipped`)
process.exit(counts.failed === 0 ? 0 : 1)

function vitest(...folders: readonly string[]): readonly string[] {
  return ['vitest', 'run', '--reporter=dot', '--reporter=json', ...folders]
}

function run({ claim, command }: Step, index: number): void {
  const [program = '', ...words] = command
  const report = join(results, `${index}.json`)
  const isVitest = program === 'vitest'
  const started = performance.now()
  const { status } = spawnSync(
    program,
    isVitest ? [...words, `--outputFile.json=${report}`] : words,
    {
      cwd: root,
      stdio: 'inherit',
    },
  )
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${status === 0 ? '✓' : '✗'} ${claim} (${seconds} s)\n`)
  if (isVitest) count(report, status)
  else counts[status === 0 ? 'passed' : 'failed'] += 1
}

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly ancestorTitles: readonly string[]
    }[]
  }[]
}

/** A run that dies before its report, or fails outside of a test, counts as a failure too. */
function count(file: string, status: number | null): void {
  let report: Report
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    counts.failed += 1
    return
  }
  counts.passed += report.numPassedTests
  counts.failed += Math.max(report.numFailedTests, status === 0 ? 0 : 1)
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
  const skipped = tests.filter((test) => !['passed', 'failed'].includes(test.status))
  // A whole group that is skipped is told in one line.
  counts.skipped.push(...skipped.map((test) => test.ancestorTitles[0] ?? test.fullName))
}
