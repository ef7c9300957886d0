/** The test command: every line it prints is a claim that can be false. Words choose test files, and leave out the checks. */

import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join, matchesGlob, relative, resolve } from 'node:path'
import {
  startVitest,
  type TestCase,
  type TestModule,
  type TestSuite,
  type Vitest,
} from 'vitest/node'
import { findTools, installationOf, type Tool } from './find-tools.ts'
import { ProgressReporter } from './tools/progress-reporter.ts'
import { tscEnvironment } from './tools/tsc-environment.ts'

const root = resolve(import.meta.dirname, '..')

interface Check {
  readonly claim: string
  readonly command: readonly [program: string, ...words: string[]]
  readonly env?: Readonly<Record<string, string>>
}

// biome-ignore format: a table is read by its columns
const checks: readonly Check[] = [
  // Several threads check much of the same, each for itself.
  { claim: 'types hold',                               command: ['tsc', '--noEmit', '--singleThreaded'], env: tscEnvironment },
  { claim: 'the code is formatted and free of lint',   command: ['biome', 'check', '--error-on-warnings', 'packages', 'scripts', 'bench', 'examples', 'outside', 'website', 'package.json', 'vitest.config.ts'] },
  { claim: 'rooms look one way',                       command: ['node', 'scripts/check-rooms.ts'] },
  { claim: 'the lockfiles hold no download addresses', command: ['node', 'scripts/check-lockfile.ts'] },
]

/** The tests below some folders prove a claim together. */
// biome-ignore format: a table is read by its columns
const proofs: Readonly<Record<string, readonly string[]>> = {
  'the shared words and the token keep their promises':                                ['packages/{protocol,token,service}/test'],
  'the decision vectors pass, and no decision grants more than the account has':       ['packages/hub/test/{permission,access,identity,minting,issue,as-caller}'],
  'the directory changes whole or not at all':                                         ['packages/hub/test/{verbs,run-verb,apply,admin,stores,keys}'],
  'the journal tells every change of the directory, and keeps it':                     ['packages/hub/test/journal'],
  'a change ends exactly the storage tokens of those who may do less':                 ['packages/hub/test/revocation/publish'],
  'the hub answers every row of the protocol':                                         ['packages/hub/test/{http,link}'],
  'a forge gets what is not of the hub, and acts as the hub in nothing':                ['packages/hub/test/forwarding'],
  'a device signs in once a person approves it, and a stolen refresh token ends it':    ['packages/hub/test/oauth'],
  'reported tokens are revoked, and no answer tells which of them were alive':         ['packages/hub/test/revocation/report'],
  'a CI job gets a hub token of its repository and refs alone, and no other job any':   ['packages/hub/test/trusted-publishers'],
  'an attack on sign-in, devices, jobs or roles is seen once its check is removed':     ['packages/hub/test/attacks'],
  'a restore leaves nothing open that was closed after its backup':                    ['packages/hub/test/{restore,rollback}'],
  'the vectors pass: the gate admits valid tokens only, in every form':    ['packages/gate/test/{attacks,bundle,workerd,vectors,adapters,check,request,place,token,keys,grant}'],
  'a storage learns from its hub what was removed, and believes no other answer':      ['packages/gate/test/hub-link'],
  'a gate learns in time which tokens were revoked, and no answer prolongs one':       ['packages/gate/test/revocations'],
  'a storage is tested with any token of a hub in memory':                             ['packages/gate/test/testing'],
  'the gateway checks every request and streams every body whole':                     ['packages/gateway/test/{gateway,forward-auth,vectors,attacks}'],
  'no wrong token gets past nginx and Caddy with the shipped configurations':          ['packages/gateway/test/proxies'],
  'the client refreshes in time and sends no token astray':                            ['packages/client/test/{vectors,refresh,identity,scopes,failures,safety,transfers,closing,token-client}'],
  'the client in Python passes the cases of the client, with threads and tasks':      ['packages/client/test/python'],
  'a program manages a hub by the table of its operations, and repeats no change':      ['packages/admin-client/test'],
  'the client bundle knows nothing of signing, and runs in browsers, Deno and Bun':    ['packages/client/test/{bundle,browser,runtimes}'],
  'hub, gate and client agree end to end':                                             ['packages/client/test/end-to-end'],
  'the storage checks everything that it is sent':                                     ['packages/xet/test/format', 'packages/storage/test/{threads,checking,objects,requests,http,openapi}'],
  'content is reached by its own repository and ref alone':                            ['packages/storage/test/{isolation,catalog,maintenance,identity}'],
  'uploads to one repository wait for no other, on a catalogue in PostgreSQL':         ['packages/storage/test/postgres'],
  'a storage follows its hub, whatever is lost, late or killed between them':          ['packages/storage/test/following'],
  'a revoked token opens nothing at the storage, and its transfers end':               ['packages/storage/test/revoked'],
  'repositories are handled by git, bounded, and a kill leaves refs before or after':  ['packages/forge/test/git'],
  'names, addresses, patterns and cards mean what git and its clients mean by them':   ['packages/forge/test/{names,metadata,addresses,large,commits,cards}'],
  'pages run no script, and a login opens nothing but pages':                          ['packages/forge/test/{pages,readme}', 'packages/hub/test/sign-in'],
  'a forge serves what its hub permits, and a kill leaves git and directory alike':    ['packages/forge/test/{serve,adopting,backup,link}'],
  'large files follow refs: what a ref or a commit names is read, and the rest goes':  ['packages/storage/test/forge'],
  'files go up and come back, chunk by chunk':                                         ['packages/xet/test/{upload,cutting,download,blob,portable,files,browser,runtimes,bundle}', 'packages/storage/test/uploads'],
  'unmodified Hugging Face clients upload and download':                               ['packages/storage/test/{real-clients,python}'],
  'verifiers in other languages decide as the gate does':                              ['packages/gate/test/verifiers'],
  'a server that breaks a clause is found by this clause alone':                        ['packages/conform/test'],
  'examples run, also in another language':                                            ['packages/gate/test/{examples,anywhere}', 'packages/client/test/examples', 'examples'],
  'the command does what its help says':                                               ['packages/cli/test'],
  'many hubs on one database lose no change and give no token for withdrawn access':   ['packages/cli/test/many-hubs'],
  'a hub under three times its load issues, answers health checks and recovers':       ['packages/cli/test/overload', 'packages/hub/test/{flood,no-stall}'],
  'no secret reaches a log, a body, a metric or a file':                               ['packages/hub/test/secrets', 'packages/cli/test/secrets'],
  'a command that cannot start says so in one line and loses nothing':                 ['packages/hub/test/operations', 'packages/cli/test/cannot-start'],
  'a crash leaves before or after, never between':                                     ['packages/hub/test/crash', 'packages/storage/test/crash'],
  'load and full disks lose no acknowledged write':                                    ['packages/storage/test/load'],
  'a mistyped option is refused by every library':                                     ['packages/testing/test/options'],
  'packages for npm are whole, typed, small, and declare their written API':           ['scripts/packages/test'],
  'installed packages run on their Nodes, in JavaScript and TypeScript':               ['scripts/outside/test'],
  'a PostgreSQL of a test is real, and leaves nothing behind':                         ['packages/testing/test/postgres'],
  'a store that speaks S3 is asked with right signatures, and again where that is safe': ['packages/storage/test/s3'],
  'an object store of a test serves, fails as it is told, and leaves nothing behind':  ['packages/testing/test/s3'],
  'a benchmark rejects what it cannot compare, and says so':                             ['bench/test'],
  'docs match the source':                                                             ['scripts/test'],
}

const counts = { passed: 0, failed: 0 }
const filters = process.argv.slice(2)
const progress = new ProgressReporter()
// A soak writes more than fits, and whoever names a folder means it.
if (!process.env['LATCHKEY_SOAK'] && !process.env['TMPDIR']) writeToMemory('/dev/shm')
const missing = await findTools()
const checked = Promise.all(filters.length === 0 ? checks.map(prove) : [])
const vitest = await startVitest(filters, { run: true, reporters: [progress] })
await checked
tellTests(vitest)
await vitest.close()
process.exit(counts.failed === 0 ? 0 : 1)

/** On a disk every commit of a database waits. */
function writeToMemory(memory: string): void {
  const neededBytes = 4 * 1024 ** 3
  if (!existsSync(memory)) return
  const { bavail, bsize } = statfsSync(memory)
  if (Math.min(process.availableMemory(), bavail * bsize) < neededBytes) return
  const folder = mkdtempSync(join(memory, 'latchkey-tests-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  // As the system's own: some tests run as another user.
  chmodSync(folder, 0o1777)
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  if (spawnSync(program).status === 0) process.env['TMPDIR'] = folder
}

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

function tellTests({ state }: Vitest): void {
  const modules = state.getTestModules()
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const ended = (outcome: string) => tests.filter((test) => test.result().state === outcome)
  const [passed, skipped] = [ended('passed'), ended('skipped')]
  // A test that never ran has failed, and so has a file or a group that fails outside of its tests.
  const groups = modules.flatMap((module) => [module, ...module.children.allSuites()])
  const broken = groups.filter((group) => group.errors().length > 0)
  const failed = [...ended('failed'), ...ended('pending'), ...broken]
  for (const [claim, folders] of Object.entries(proofs)) {
    const own = tests.filter((test) => isIn(folders, fileOf(test)))
    if (filters.length > 0 && own.length === 0) continue
    const isWhole = !failed.some((one) => isIn(folders, fileOf(one)))
    // A proof without a test proves nothing.
    const isProved = isWhole && (filters.length > 0 || own.some((test) => passed.includes(test)))
    if (isWhole && !isProved) counts.failed += 1
    tell(claim, isProved, `${own.length} tests`)
  }
  for (const module of modules.filter((one) => !isIn(Object.values(proofs).flat(), fileOf(one)))) {
    counts.failed += 1
    console.error(`✗ ${fileOf(module)} belongs to no claim of scripts/test.ts`)
  }
  // Some tests are for one database, and each run has both.
  const isElsewhere = new Set(passed.map(nameOf))
  const notHere = skipped.filter(
    (test) => !test.tags.includes('soak') && !isElsewhere.has(nameOf(test)),
  )
  const forSoak = skipped.filter(({ tags }) => tags.includes('soak'))
  counts.passed += passed.length
  counts.failed += failed.length
  // A run that fails outside of a test fails too.
  if (counts.failed === 0 && process.exitCode) counts.failed = 1

  list('The ten slowest files', slowestOf(modules))
  const again = passed.filter((test) => test.diagnostic()?.flaky === true)
  list('FAILED', failed.map(nameOf))
  list('PASSED AT THE SECOND TRY: find out why', again.map(lineOfFlaky))
  list('NOT TESTED HERE, because a program is missing', missing.map(lineOfTool))
  list('NOT TESTED HERE', groupsOf(notHere))
  console.log(`\nrun only in the soak (npm run test:soak): ${forSoak.length} tests`)
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${notHere.length} skipped`)
}

type Tested = TestCase | TestModule | TestSuite

function fileOf(one: Tested): string {
  return relative(root, one.type === 'module' ? one.moduleId : one.module.moduleId)
}

function isIn(folders: readonly string[], file: string): boolean {
  return folders.some((folder) => matchesGlob(file, `${folder}/**`))
}

function slowestOf(modules: readonly TestModule[]): readonly string[] {
  return modules
    .toSorted((one, other) => other.diagnostic().duration - one.diagnostic().duration)
    .slice(0, 10)
    .map(
      (one) =>
        `${(one.diagnostic().duration / 1000).toFixed(1).padStart(6)} s  ${fileOf(one)} (${one.project.name})`,
    )
}

function nameOf(one: Tested): string {
  if (one.type === 'module') return `${fileOf(one)}: cannot be loaded`
  return `${fileOf(one)}: ${one.fullName}${one.type === 'suite' ? ' (fails outside of its tests)' : ''}`
}

function lineOfFlaky(test: TestCase): string {
  const [first] = test.result().errors ?? []
  return `${nameOf(test)}: ${first?.message.split('\n', 1)[0] ?? 'no error is known'}`
}

function lineOfTool(tool: Tool): string {
  return `${tool.name}: ${installationOf(tool)}  (${tool.use})`
}

/** A line for each file and its first group. */
function groupsOf(tests: readonly TestCase[]): readonly string[] {
  const groups = Map.groupBy(tests, (test) => `${fileOf(test)}: ${test.fullName.split(' > ')[0]}`)
  return [...groups].map(([group, { length }]) =>
    length > 1 ? `${group} (${length} tests)` : group,
  )
}

function list(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log([`\n${title}:`, ...lines].join('\n  '))
}

function tell(claim: string, isTrue: boolean, detail: string): void {
  progress.clear()
  console.log(`${isTrue ? '✓' : '✗'} ${claim} (${detail})`)
}
