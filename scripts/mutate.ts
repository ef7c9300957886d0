/** Checks the tests: every small mistake put into the code that decides must make one of them fail. */

import { type ChildProcess, fork } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { equivalent } from './mutants/equivalent.ts'
import { type Mutant, makeMutants } from './mutants/make-mutants.ts'
import type { Trial, Verdict } from './mutants/runner.ts'

const root = resolve(import.meta.dirname, '..')
const permission = testsIn('packages/hub/test/permission', [
  'decisions',
  'refusal-words',
  'steps',
  'roles',
  'ref-pattern',
  'nobody-learns',
  'lattice',
])
const identity = testsIn('packages/hub/test/identity', ['hub-token', 'identify-caller'])
const check = testsIn('packages/gate/test', ['check/', 'token/', 'vectors/function'])
const access = ['packages/hub/test/access']
const issue = testsIn('packages/hub/test', ['issue/', 'permission/decisions'])

// biome-ignore format: a table is read by its columns
const targets: Readonly<Record<string, readonly string[]>> = {
  'packages/protocol/src/bearer.ts':                 ['packages/protocol/test/bearer'],
  'packages/protocol/src/ids.ts':                    ['packages/protocol/test/ids', 'packages/protocol/test/storage-address'],
  'packages/protocol/src/scope.ts':                  ['packages/protocol/test/scope'],
  'packages/protocol/src/revision.ts':               ['packages/protocol/test/revision', 'packages/protocol/test/git-agrees'],
  'packages/protocol/src/token-path.ts':             ['packages/protocol/test/token-path'],
  'packages/protocol/src/storage-address.ts':        ['packages/protocol/test/storage-address'],
  'packages/protocol/src/storage-path.ts':           ['packages/protocol/test/storage-path'],
  'packages/protocol/src/scope-rules.ts':            ['packages/protocol/test/scope-rules', 'packages/protocol/test/write-rule'],
  'packages/protocol/src/service-url.ts':            ['packages/protocol/test/service-url'],
  'packages/protocol/src/secret-key.ts':             ['packages/protocol/test/secret-key'],
  'packages/gate/src/check/authorise.ts':            check,
  'packages/gate/src/check/create-gate.ts':          check,
  'packages/gate/src/check/settle-options.ts':       [...check, 'packages/gate/test/keys/fetch-keys'],
  'packages/gate/src/request/header-rules.ts':       ['packages/gate/test/request'],
  'packages/gate/src/request/read-request.ts':       ['packages/gate/test/request'],
  'packages/gate/src/request/query-rules.ts':        ['packages/gate/test/request'],
  'packages/gate/src/place/locate.ts':               ['packages/gate/test/place', ...check],
  'packages/gate/src/keys/hub-keys.ts':              ['packages/gate/test/keys/'],
  'packages/gate/src/keys/refuse-url.ts':            testsIn('packages/gate/test', ['check/does-not-start', 'check/mistyped', 'check/defaults', 'keys/fetch-keys']),
  'packages/gate/src/hub-link/read-answers.ts':      ['packages/gate/test/hub-link/read-answers'],
  'packages/gate/src/token/verify-bearer.ts':        ['packages/gate/test/token', 'packages/gate/test/keys/hub-away', ...check],
  'packages/gate/src/token/failure-limit.ts':        ['packages/gate/test/token'],
  'packages/gate/src/token/verification-queue.ts':   ['packages/gate/test/token/verification-queue'],
  'packages/gate/src/forward-auth/original-request.ts': ['packages/gate/test/vectors/forward-auth'],
  'packages/token/src/claims.ts':                    ['packages/token/test/claims', 'packages/token/test/sign-token'],
  'packages/token/src/claims-in-seconds.ts':         ['packages/token/test/claims'],
  'packages/token/src/parse-claims.ts':              ['packages/token/test/claims'],
  'packages/token/src/verify-token.ts':              ['packages/token/test/verify-token'],
  'packages/service/src/http/allowed-hosts.ts':           ['packages/service/test/allowed-hosts'],
  'packages/service/src/limits/limiter.ts':                 ['packages/service/test/limiter'],
  'packages/hub/src/access/answer-cache.ts':         access,
  'packages/hub/src/access/find-access.ts':          access,
  'packages/hub/src/access/find-repository.ts':      access,
  'packages/hub/src/access/ref-facts.ts':            access,
  'packages/hub/src/access/watch-version.ts':        access,
  'packages/hub/src/identity/hub-token.ts':          identity,
  'packages/hub/src/identity/identify-caller.ts':    identity,
  'packages/hub/src/identity/read-credential.ts':    identity,
  'packages/hub/src/issue/authenticate.ts':          issue,
  'packages/hub/src/link/identify-storage.ts':       testsIn('packages/hub/test/link', ['401', '403', '429', 'embedded', 'log']),
  'packages/hub/src/issue/issue-token.ts':           issue,
  'packages/hub/src/issue/request-limits.ts':        issue,
  'packages/hub/src/issue/wanted-revision.ts':       issue,
  'packages/hub/src/minting/mint-token.ts':          ['packages/hub/test/minting'],
  'packages/hub/src/minting/refuse-long-addresses.ts': ['packages/hub/test/minting'],
  'packages/hub/src/permission/decide-permission.ts': permission,
  'packages/hub/src/permission/reach.ts':            permission,
  'packages/protocol/src/ref-pattern.ts':      permission,
  'packages/protocol/src/role.ts':             permission,
  'packages/hub/src/permission/what-is-missing.ts':  permission,
  'packages/hub/src/permission/what-it-sees.ts':     permission,
}

/** A mutant that takes longer loops for ever. */
const patienceMs = 60_000

type Outcome = Verdict | 'timed out'

const chosen = Object.keys(targets).filter((file) => file.includes(process.argv[2] ?? ''))
const mutants = chosen.flatMap((file) => makeMutants(file, readFileSync(join(root, file), 'utf8')))
const queue = mutants.values()
const survivors: Mutant[] = []
const copies: string[] = []
process.once('exit', () => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
})
process.once('SIGINT', () => process.exit(1))
const started = performance.now()
console.log(`${mutants.length} mutants of ${chosen.length} files`)

const workers = Array.from({ length: Math.min(2, availableParallelism()) }, () => work(copied()))
await Promise.all(workers)
report()

function testsIn(folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${folder}/${name}`)
}

/** The working tree is never touched: each worker has a copy, and the dependencies linked. */
function copied(): string {
  const copy = mkdtempSync(join(tmpdir(), 'latchkey-mutants-'))
  copies.push(copy)
  const inside = (path: string) => join(copy, path)
  for (const part of ['packages', 'vectors', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, part), inside(part), { recursive: true })
  }
  mkdirSync(inside('node_modules/@latchkey'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@latchkey')
      symlinkSync(join(root, 'node_modules', name), inside(`node_modules/${name}`))
  }
  for (const name of readdirSync(join(root, 'packages'))) {
    symlinkSync(inside(`packages/${name}`), inside(`node_modules/@latchkey/${basename(name)}`))
  }
  return copy
}

async function work(copy: string): Promise<void> {
  let runner = await startRunner(copy)
  await expectGreen(runner)
  for (const mutant of queue) {
    const { file, text } = mutant
    const outcome = await attempt(runner, { file, text, tests: targets[file] ?? [] })
    if (outcome === 'survived') tell(mutant)
    if (outcome !== 'timed out') continue
    runner.kill('SIGKILL')
    cpSync(join(root, file), join(copy, file))
    runner = await startRunner(copy)
  }
  runner.kill()
}

async function expectGreen(runner: ChildProcess): Promise<void> {
  for (const file of chosen) {
    const outcome = await attempt(runner, { file, text: undefined, tests: targets[file] ?? [] })
    if (outcome === 'survived') continue
    console.error(`The tests of ${file} fail without any mutant: ${targets[file]?.join(' ')}`)
    process.exit(1)
  }
}

async function startRunner(copy: string): Promise<ChildProcess> {
  const runner = fork(join(root, 'scripts/mutants/runner.ts'), [copy], { cwd: copy })
  await new Promise((ready) => runner.once('message', ready))
  return runner
}

function attempt(runner: ChildProcess, trial: Trial): Promise<Outcome> {
  return new Promise((decided) => {
    const timer = setTimeout(() => decided('timed out'), patienceMs)
    runner.once('message', (verdict: Verdict) => {
      clearTimeout(timer)
      decided(verdict)
    })
    runner.send(trial)
  })
}

function tell(mutant: Mutant): void {
  if (equivalent.some((known) => isSame(known, mutant))) return
  survivors.push(mutant)
  console.log(`SURVIVED ${mutant.file}:${mutant.line}  ${mutant.change}\n    ${mutant.at}`)
}

function isSame(known: Pick<Mutant, 'file' | 'at' | 'change'>, mutant: Mutant): boolean {
  return known.file === mutant.file && known.at === mutant.at && known.change === mutant.change
}

function report(): void {
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  console.log(`${mutants.length} mutants, ${survivors.length} survived, ${minutes} min`)
  const stale = equivalent.filter(
    (known) => chosen.includes(known.file) && !mutants.some((mutant) => isSame(known, mutant)),
  )
  for (const { file, at, change } of stale)
    console.log(`NOT THERE ANY MORE ${file} ${change} | ${at}`)
  process.exit(survivors.length === 0 ? 0 : 1)
}
