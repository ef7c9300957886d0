/** The verifier for storages in Go decides as the gate does, wherever there is a Go. */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unixSeconds } from '@latchkey/protocol'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { compareWithGate } from '@latchkey/testing/differential/compare-with-gate'
import { lineJudge } from '@latchkey/testing/differential/line-judge'
import { fakeHub } from '@latchkey/testing/gate/gateway'
import { casUrl, prefix, token } from '@latchkey/testing/gate/storage-tokens'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import {
  findGo,
  goCompiler,
  goEnvironment,
  goModule,
  hasRaceDetector,
} from '@latchkey/testing/tools/go-program'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { foldTable } from '../../../../scripts/fold-table.ts'

const found = findGo()
const go = found ?? ''
if (found === undefined) console.warn('NOT FOUND: Go 1.25 or newer. clients/go is not tested.')
const hasRace = found !== undefined && hasRaceDetector(found)
if (found !== undefined && !hasRace) {
  console.warn('NOT FOUND: a compiler of C. clients/go is not searched for data races.')
}

/** The first run compiles the standard library, on a machine that does much else. */
const longest = 900_000

interface Ran {
  readonly status: number
  readonly output: string
}

interface RunOptions {
  readonly program?: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

function run(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { program = go, cwd = goModule, env = {} } = options
  const environment = { ...goEnvironment(), ...goCompiler, ...env }
  const settings = { cwd, env: environment, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((done) => {
    const child = execFile(program, words, settings, (_error, stdout, stderr) =>
      done({ status: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
}

const passed = { status: 0, output: expect.any(String) }
const silent = { status: 0, output: '' }

/** Vet reads the whole standard library. It has a test of its own. */
const unvetted = '-vet=off'

const source = (name: string) => readFileSync(join(goModule, name), 'utf8')
const fuzzTests = Array.from(
  source('fuzz_test.go').matchAll(/^func (Fuzz\w+)/gm),
  ([, name]) => name,
)

const blocksIn = (text: string) =>
  Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
const installations = blocksIn(source('README.md')).filter((block) => block.includes('-replace'))
const benchmark = "test -run '^$' -bench . -benchmem"

const isSoak = rounds(0, 1) === 1
/** The tests of the module, linked once for all that is asked of them. */
const program = join(sharedFolder(), 'verify.test')

test('characters are folded in Go by the table of this Node', () => {
  expect(source('fold.txt') === foldTable(), 'node scripts/write-fold-table.ts writes it').toBe(
    true,
  )
})

test('no document has a command for Go that is not run here', () => {
  const document = readFileSync(join(goModule, '../../docs/verify-anywhere.md'), 'utf8')
  const shown = blocksIn(document).filter((block) => /^go /m.test(block))
  const [first = ''] = installations
  expect(shown).toEqual([first])
  const readme = readFileSync(join(goModule, '../../README.md'), 'utf8')
  expect(readme).toContain(`\`${first.trim()}\``)
  const words = ['vet ./...', 'test ./...', 'test -race ./...', benchmark]
  const tests = words.map((each) => `go ${each}\n`).join('')
  expect(blocksIn(source('README.md'))).toEqual([...installations, tests])
})

describe.skipIf(found === undefined)('the verifier in Go', { timeout: longest }, () => {
  beforeAll(async () => {
    expect(await run(['test', unvetted, '-c', '-o', program, '.'])).toEqual(passed)
  }, longest)

  test('is formatted, and go vet finds nothing', async () => {
    expect(await run(['-l', '.'], { program: await gofmt() })).toEqual(silent)
    expect(await run(['vet', './...'])).toEqual(silent)
  })

  test('needs no module but its own', async () => {
    expect(await run(['list', '-m', 'all'])).toEqual({ status: 0, output: 'latchkey/verify\n' })
  })

  test('agrees with every vector, and passes its other tests and the seeds of its fuzz tests', async () => {
    const { status, output } = isSoak
      ? await run(['test', unvetted, '-count=1', '-v', './...'])
      : await run(['-test.v', '-test.short'], { program })
    expect(output).not.toMatch(/^--- (?:FAIL|SKIP)/m)
    expect(status).toBe(0)
    const judged = [
      ...[
        'EveryTokenOfTheVectorsIsJudgedAsTheySay',
        'EveryPathAndScopeOfTheVectorsIsJudgedAsTheySay',
      ],
      ...['EveryRequestOfTheVectorsIsJudgedAsTheySay', 'EveryListOfTheVectorsIsReadAsTheySay'],
      ...['EveryHeadAndHistoryOfTheVectorsEndsAsTheySay'],
      ...['EveryRequestOfTheVectorsEndsOverARealConnectionAsTheySay'],
    ].map((name) => `Test${name}`)
    for (const name of [...judged, ...fuzzTests]) expect(output).toContain(`--- PASS: ${name} (`)
  })

  // The standard library is compiled a second time for it.
  test.runIf(hasRace)('has no data race', { tags: 'soak' }, async () => {
    const env = { CGO_ENABLED: '1' }
    expect(await run(['test', '-count=1', '-race', './...'], { env })).toEqual(passed)
  })

  test('agrees with the gate on mutated tokens, requests, heads, lists and keys', async () => {
    // The test binary judges where it is told to.
    const judge = lineJudge({ program, words: [], cwd: goModule, env: { LATCHKEY_JUDGE: '1' } })
    const count = rounds(500, 100_000)
    const compared = await compareWithGate(judge, count, printedChance('the Go verifier'))
    await judge.close()
    expect(compared.disagreements).toEqual([])
    expect(compared.asked).toBe(count)
  })

  test('is measured beside bare verification', async () => {
    const words = benchmark.replaceAll("'", '').replaceAll(' -', ' -test.').split(' ').slice(1)
    const { status, output } = await run([...words, '-test.benchtime', '1x'], { program })
    expect(status).toBe(0)
    for (const name of ['ES256/bare', 'ES256/verified', 'EdDSA/bare', 'EdDSA/verified']) {
      expect(output).toMatch(new RegExp(`^Benchmark${name}\\S*\\s+1\\s+\\d+ ns/op`, 'm'))
    }
  })

  test.each(installations.slice(0, rounds(1, installations.length)))(
    'the program of its README serves the holder of a right token, and nobody else, installed in way %$',
    async (installation) => {
      const hub = await fakeHub()
      hub.revocations.useIssuer(hub.url)
      const ask = await serveReadme(hub.url, installation)
      const iat = unixSeconds(Math.floor(Date.now() / 1000))
      const right = token({ iss: hub.url, iat, exp: unixSeconds(iat + 900) })
      const admitted = await ask('GET', right)
      expect(admitted).toEqual([200, 'ada-id may read models/acme/bert: /v1/shards\n'])
      expect(await ask('GET')).toEqual([401, expect.stringContaining('"storage_token_missing"')])
      const refused = [403, expect.stringContaining('"insufficient_scope"')]
      expect(await ask('POST', right)).toEqual(refused)
    },
  )
})

/** Their seeds are among the tests above. */
if (found !== undefined && isSoak) {
  test.each(fuzzTests)('%s, whatever is sent', { timeout: longest }, async (name) => {
    const words = ['test', '-run', '^$', '-fuzz', `^${name}$`, '-fuzztime', '30s']
    expect(await run(words)).toEqual(passed)
  })
}

async function gofmt(): Promise<string> {
  const { output } = await run(['env', 'GOROOT'])
  return join(output.trim(), 'bin', 'gofmt')
}

function readmeBlock(language: string): string {
  const [, block = ''] =
    new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(source('README.md')) ?? []
  return block
}

/** In a module of its own, made as the README says. */
async function serveReadme(hubUrl: string, installation: string) {
  const [cwd, port] = [temporaryFolder(), await freePort()]
  const program = join(cwd, 'storage')
  writeFileSync(join(cwd, 'main.go'), readmeBlock('go').replace(':8081', `:${port}`))
  const install = installation.replaceAll('/path/to/latchkey/clients/go', goModule)
  expect(await run(['mod', 'init', 'example'], { cwd })).toEqual(passed)
  expect(await run(['-ec', install], { program: 'sh', cwd })).toEqual(silent)
  expect(await run(['mod', 'vendor'], { cwd })).toEqual(silent)
  expect(await run(['build', '-o', program, '.'], { cwd })).toEqual(silent)
  const env = { ...goEnvironment(), HUB_URL: hubUrl, CAS_URL: casUrl }
  const storage = spawn(program, { env, stdio: 'ignore' })
  const exit = once(storage, 'exit')
  onTestFinished(async () => {
    storage.kill()
    await exit
  })
  const ask = async (method: string, bearer?: string): Promise<[number, string]> => {
    const headers: Record<string, string> = bearer ? { authorization: `Bearer ${bearer}` } : {}
    const response = await fetch(`http://127.0.0.1:${port}${prefix}/v1/shards`, { method, headers })
    return [response.status, await response.text()]
  }
  await vi.waitFor(() => ask('GET'), { timeout: 60_000 })
  return ask
}
