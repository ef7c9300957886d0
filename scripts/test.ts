/** The test command: every line it prints is a claim that can be false. */

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { folderInMemory } from './tools/folder-in-memory.ts'
import { glibcSettings } from './tools/glibc-settings.ts'
import { tscEnvironment } from './tools/tsc-environment.ts'

const root = resolve(import.meta.dirname, '..')

interface Check {
  readonly claim: string
  readonly command: readonly [program: string, ...words: string[]]
  readonly env?: Readonly<Record<string, string>>
}

const tools: Check = {
  claim: 'what the tests drive was looked for',
  command: ['node', 'scripts/find-tools.ts'],
}

// biome-ignore format: a table is read by its columns
const checks: readonly Check[] = [
  // Several threads check much of the same, each for itself.
  { claim: 'types hold',                               command: ['tsc', '--noEmit', '--singleThreaded'], env: tscEnvironment },
  { claim: 'the code is formatted and free of lint',   command: ['biome', 'check', '--error-on-warnings', 'packages', 'scripts', 'bench', 'examples', 'outside', 'package.json', 'vitest.config.ts'] },
  { claim: 'rooms look one way',                       command: ['node', 'scripts/check-rooms.ts'] },
  { claim: 'the lockfiles hold no download addresses', command: ['node', 'scripts/check-lockfile.ts'] },
]

/** What the tests below a folder prove together. They all run at once, so that no core waits for the end of a step. */
// biome-ignore format: a table is read by its columns
const proofs: Readonly<Record<string, readonly string[]>> = {
  'the shared words and the token keep their promises':                              ['packages/protocol/test/', 'packages/token/test/', 'packages/service/test/'],
  'the decision vectors pass, and no decision grants more than the account has':     ['packages/hub/test/permission/', 'packages/hub/test/access/', 'packages/hub/test/identity/', 'packages/hub/test/minting/', 'packages/hub/test/issue/', 'packages/hub/test/as-caller/'],
  'the directory changes whole or not at all':                                       ['packages/hub/test/verbs/', 'packages/hub/test/run-verb/', 'packages/hub/test/apply/', 'packages/hub/test/admin/', 'packages/hub/test/stores/', 'packages/hub/test/keys/'],
  'the journal tells every change of the directory, and keeps it':                   ['packages/hub/test/journal/'],
  'a change ends exactly the storage tokens of those who may do less':              ['packages/hub/test/revocation/publish/'],
  'the hub answers every row of the protocol':                                       ['packages/hub/test/http/', 'packages/hub/test/link/'],
  'tokens are taken back, and nobody learns which of them were alive':              ['packages/hub/test/revocation/report/'],
  'a restore leaves nothing open that was closed after its backup':                  ['packages/hub/test/restore/', 'packages/hub/test/rollback/'],
  'the vectors pass: the gate lets in the right token and no other, in every form':  ['packages/gate/test/attacks/', 'packages/gate/test/workerd/', 'packages/gate/test/vectors/', 'packages/gate/test/adapters/', 'packages/gate/test/check/', 'packages/gate/test/request/', 'packages/gate/test/place/', 'packages/gate/test/token/', 'packages/gate/test/keys/'],
  'a storage learns from its hub what was removed, and believes no other answer':    ['packages/gate/test/hub-link/'],
  'a gate learns in time which tokens were taken back, and no answer prolongs one':   ['packages/gate/test/revocations/'],
  'the gateway judges every request and streams every body whole':                   ['packages/gate/test/gateway/'],
  'nobody gets past nginx and Caddy with the shipped configurations':                ['packages/gate/test/proxies/'],
  'the client refreshes in time and sends no token astray':                          ['packages/client/test/refresh/', 'packages/client/test/identity/', 'packages/client/test/scopes/', 'packages/client/test/failures/', 'packages/client/test/safety/', 'packages/client/test/transfers/', 'packages/client/test/closing/', 'packages/client/test/token-client/'],
  'the client bundle knows nothing of signing, and runs in browsers, Deno and Bun':  ['packages/client/test/bundle/', 'packages/client/test/browser/', 'packages/client/test/runtimes/'],
  'hub, gate and client agree end to end':                                           ['packages/client/test/end-to-end/'],
  'the storage believes nothing that it has not checked':                            ['packages/xet/test/format/', 'packages/storage/test/threads/', 'packages/storage/test/checking/', 'packages/storage/test/objects/', 'packages/storage/test/requests/', 'packages/storage/test/http/'],
  'content is reached by its own repository and ref, and by nobody else':            ['packages/storage/test/isolation/', 'packages/storage/test/catalog/', 'packages/storage/test/upkeep/'],
  'uploads to one repository wait for no other, on a catalogue in PostgreSQL':        ['packages/storage/test/postgres/'],
  'a storage follows its hub, whatever is lost, late or killed between them':         ['packages/storage/test/following/'],
  'what was taken back opens nothing at the storage, and what runs with it ends':      ['packages/storage/test/revoked/'],
  'repositories are handled by git, bounded, and a kill leaves refs before or after':  ['packages/forge/test/git/'],
  'names, addresses, patterns and cards mean what git and its clients mean by them':   ['packages/forge/test/names/', 'packages/forge/test/metadata/', 'packages/forge/test/addresses/', 'packages/forge/test/large/', 'packages/forge/test/commits/', 'packages/forge/test/cards/'],
  'pages run no script, and a login opens nothing but pages':                          ['packages/forge/test/pages/', 'packages/forge/test/readme/', 'packages/forge/test/sessions/'],
  'a forge serves what its hub permits, and a kill leaves git and directory alike':   ['packages/forge/test/serve/', 'packages/forge/test/adopting/', 'packages/forge/test/backup/'],
  'large files follow refs: what a ref or a commit names is read, and the rest goes':  ['packages/storage/test/forge/'],
  'files go up and come back, chunk by chunk':                                       ['packages/xet/test/upload/', 'packages/xet/test/cutting/', 'packages/xet/test/download/', 'packages/xet/test/blob/', 'packages/xet/test/portable/', 'packages/xet/test/files/', 'packages/xet/test/browser/', 'packages/xet/test/runtimes/', 'packages/xet/test/bundle/', 'packages/storage/test/uploads/'],
  'unmodified Hugging Face clients upload and download':                             ['packages/storage/test/real-clients/', 'packages/storage/test/python/'],
  'verifiers in other languages decide as the gate does':                           ['packages/gate/test/verifiers/'],
  'examples run, also in another language':                                          ['packages/gate/test/examples/', 'packages/gate/test/anywhere/', 'packages/client/test/examples/'],
  'the command does what its help says':                                             ['packages/cli/test/'],
  'many hubs on one database lose no change and give no token for withdrawn access': ['packages/cli/test/many-hubs/'],
  'a hub under three times its load issues, answers health checks and recovers':     ['packages/cli/test/overload/', 'packages/hub/test/flood/', 'packages/hub/test/no-stall/'],
  'no secret reaches a log, a body, a metric or a file':                             ['packages/hub/test/secrets/', 'packages/cli/test/secrets/'],
  'what cannot start says so in one line and loses nothing':                         ['packages/hub/test/operations/', 'packages/cli/test/cannot-start/'],
  'a crash leaves before or after, never between':                                   ['packages/hub/test/crash/', 'packages/storage/test/crash/'],
  'load and full disks cost nobody what was acknowledged':                           ['packages/storage/test/load/'],
  'a mistyped option is refused by every library':                                    ['packages/testing/test/options/'],
  'what npm gets is whole, typed, small, and declares what is written down':          ['scripts/packages/test/'],
  'what is installed from outside runs on its Nodes, in JavaScript and TypeScript':   ['scripts/outside/test/'],
  'a PostgreSQL of a test is real, and leaves nothing behind':                        ['packages/testing/test/postgres/'],
  'a benchmark rejects what it cannot judge, and says so':                            ['bench/test/'],
  'docs match the source':                                                           ['scripts/test/'],
}

const counts = { passed: 0, failed: 0, skipped: 0 }
// A soak writes more than fits, and whoever names a folder means it.
const { TMPDIR, LATCHKEY_SOAK } = process.env
const temporary = LATCHKEY_SOAK === undefined && TMPDIR === undefined ? folderInMemory() : TMPDIR
// The tests of the hub drive none of the programs that may have to be installed first. The others wait for these alone, and
// not for the end of a step, at which cores would have nothing to do; nor for the packages, which are built first.
const looked = prove(tools)
const checked = Promise.all(checks.map(prove))
const cores = availableParallelism()
// The runs share the bundle of the command: without one, each of them would make it. If this fails, they fail too.
await run('node', ['scripts/bundle-command.ts'])
const runs = await Promise.all([
  runTests(['hub'], cores),
  looked.then(() => runTests(['!hub', '!others'], cores)),
  // It is the longest, and most of its tests wait for processes.
  looked.then(() => runTests(['others'], cores + 3)),
])
await checked
proveByTests(runs)
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exit(counts.failed === 0 ? 0 : 1)

async function prove({ claim, command: [program, ...words], env }: Check): Promise<void> {
  const started = performance.now()
  const status = await run(program, words, env)
  counts[status === 0 ? 'passed' : 'failed'] += 1
  tell(claim, status === 0, `${((performance.now() - started) / 1000).toFixed(1)} s`)
}

function run(program: string, words: readonly string[], env = {}): Promise<number | null> {
  const child = spawn(program, words, {
    ...{ cwd: root, stdio: 'inherit', env: { ...process.env, ...env } },
  })
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('close', resolve)
  })
}

function proveByTests(runs: readonly Run[]): void {
  const tests = runs.flatMap((run) => run.tests)
  for (const [claim, folders] of Object.entries(proofs)) {
    const own = testsIn(folders, tests)
    const failed = own.filter((test) => test.status === 'failed').length
    // A proof without a test proves nothing.
    const isEmpty = !own.some((test) => test.status === 'passed')
    counts.failed += failed + Number(isEmpty && failed === 0)
    tell(claim, failed === 0 && !isEmpty, `${own.length} tests`)
  }
  const stray = new Set(tests).difference(new Set(testsIn(Object.values(proofs).flat(), tests)))
  for (const { file } of stray) {
    counts.failed += 1
    console.error(`✗ ${file} belongs to no claim of scripts/test.ts`)
  }
  // A run that fails outside of a test fails too.
  if (runs.some(({ status }) => status !== 0) && counts.failed === 0) counts.failed = 1
  counts.passed += tests.filter((test) => test.status === 'passed').length
  tellSlowest(new Map(runs.flatMap(({ seconds }) => [...seconds])))
  tellFailed(tests)
  tellSkipped(tests)
}

function testsIn(folders: readonly string[], tests: readonly Test[]): readonly Test[] {
  return tests.filter(({ file }) => folders.some((folder) => file.startsWith(folder)))
}

interface Test {
  readonly file: string
  readonly status: string
  readonly name: string
  /** What it belongs to, or its own name. */
  readonly group: string
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly startTime: number
    readonly endTime: number
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly ancestorTitles: readonly string[]
    }[]
  }[]
}

/** Seconds by file. */
type Seconds = ReadonlyMap<string, number>

interface Run {
  readonly status: number | null
  readonly tests: readonly Test[]
  readonly seconds: Seconds
}

/** A run that dies before its report has no tests to show. */
async function runTests(projects: readonly string[], workers: number): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
  const env = { ...glibcSettings, ...(temporary !== undefined && { TMPDIR: temporary }) }
  const chosen = projects.map((project) => `--project=${project}`)
  const atOnce = `--maxWorkers=${workers}`
  const status = await run('vitest', ['run', ...chosen, atOnce, ...reporters], env)
  try {
    const read: Report = JSON.parse(readFileSync(report, 'utf8'))
    return { status, tests: testsOf(read), seconds: secondsOf(read) }
  } catch {
    return { status: status || 1, tests: [], seconds: new Map() }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function testsOf({ testResults }: Report): readonly Test[] {
  return testResults.flatMap(({ name, status: outcome, assertionResults }) => {
    const file = relative(root, name)
    // A file that cannot be loaded has no tests that could fail.
    if (assertionResults.length === 0) {
      return [{ file, status: outcome, name: 'could not be loaded', group: file }]
    }
    return assertionResults.map(({ status, fullName, ancestorTitles }) => {
      return { file, status, name: fullName, group: ancestorTitles[0] ?? fullName }
    })
  })
}

function secondsOf({ testResults }: Report): Seconds {
  return new Map(
    testResults.map(({ name, startTime, endTime }) => [
      relative(root, name),
      (endTime - startTime) / 1000,
    ]),
  )
}

function tellSlowest(seconds: Seconds): void {
  const slowest = [...seconds].sort(([, one], [, other]) => other - one).slice(0, 10)
  console.log('\nThe ten slowest files:')
  for (const [file, took] of slowest) console.log(`${took.toFixed(1).padStart(7)} s  ${file}`)
}

/** Once more at the end, where a reader of a long log looks first. */
function tellFailed(tests: readonly Test[]): void {
  for (const { file, name } of tests.filter((test) => test.status === 'failed')) {
    console.log(`FAILED: ${file}: ${name}`)
  }
}

/** A whole group that is skipped is told in one line. */
function tellSkipped(tests: readonly Test[]): void {
  const skipped = tests.filter((test) => !['passed', 'failed'].includes(test.status))
  counts.skipped = skipped.length
  for (const [group, { length }] of Map.groupBy(skipped, (test) => test.group)) {
    console.log(`NOT TESTED HERE: ${group}${length > 1 ? ` (${length} tests)` : ''}`)
  }
}

function tell(claim: string, isTrue: boolean, detail: string): void {
  console.log(`${isTrue ? '✓' : '✗'} ${claim} (${detail})`)
}
