/** The verifier for storages in Go decides as the gate does, wherever there is a Go. */

import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { asRefUid, asRepositoryUid, journalNumber, unixSeconds } from '@latchkey/protocol'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { compareWithGate } from '@latchkey/testing/differential/compare-with-gate'
import { lineVerifier } from '@latchkey/testing/differential/line-verifier'
import { scriptedHub } from '@latchkey/testing/gate/gateway'
import { bert, casUrl, main, prefix, token } from '@latchkey/testing/gate/storage-tokens'
import { sharedFolder, temporaryFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import {
  findGo,
  goCompiler,
  goEnvironment,
  goExample,
  goModule,
  hasModulesOfExample,
  hasRaceDetector,
} from '@latchkey/testing/tools/go-program'
import type { Claims } from '@latchkey/token'
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

/** The package that decides as the gate does. */
const verifyPackage = join(goModule, 'verify')

const source = (name: string) => readFileSync(join(goModule, name), 'utf8')
const fuzzTests = Array.from(
  source('verify/fuzz_test.go').matchAll(/^func (Fuzz\w+)/gm),
  ([, name]) => name,
)

const packages = ['verify', 'latchkeytest', 'client', 'internal/xet']

/** Tests of the kit, the client and hashes, and the examples of all packages. */
const namedTests = packages.flatMap((name) =>
  globSync('*_test.go', { cwd: join(goModule, name) }).flatMap((file) => {
    const all = source(join(name, file)).matchAll(/^func ((Test|Example)\w*)\(/gm)
    return Array.from(all, ([, test = '', kind]) => ({ name, test, kind }))
      .filter(({ name, kind }) => kind === 'Example' || name !== 'verify')
      .map(({ test }) => test)
      .filter((test) => test !== 'TestMain')
  }),
)

const blocksIn = (text: string) =>
  Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
const guide = readFileSync(join(goModule, '../../docs/guides/go.md'), 'utf8')
/** The Go files that the guide shows. */
const [handlerFile = '', storageFile = ''] = Array.from(
  guide.matchAll(/^```go\n(.*?)^```$/gms),
  ([, file]) => file,
)
const installations = blocksIn(source('README.md')).filter((block) => block.includes('-replace'))
const benchmark = "test -run '^$' -bench . -benchmem ./verify"

/** The parts that the storage of the guide needs to run here. */
const guideFolder = join(import.meta.dirname, 'go-guide')

const isSoak = rounds(0, 1) === 1
/** The tests of each package, linked once for all that is asked of them. */
const linkedTests = sharedFolder()
const program = join(linkedTests, 'verify.test')

async function runPackages(): Promise<Ran> {
  if (isSoak) return run(['test', unvetted, '-count=1', '-v', './...'])
  const all = await Promise.all(
    packages.map((name) =>
      run(['-test.v', '-test.short'], {
        program: join(linkedTests, `${basename(name)}.test`),
        cwd: join(goModule, name),
      }),
    ),
  )
  const output = all.map((one) => one.output).join('')
  return { status: all.find((one) => one.status !== 0)?.status ?? 0, output }
}

test('characters are folded in Go by the table of this Node', () => {
  expect(
    source('verify/fold.txt') === foldTable(),
    'node scripts/write-fold-table.ts writes it',
  ).toBe(true)
})

test('no document has a command for Go that is not run here', () => {
  const [first] = installations
  expect(blocksIn(guide)).toEqual([first])
  const words = ['vet ./...', 'test ./...', 'test -race ./...', benchmark]
  const tests = words.map((each) => `go ${each}\n`).join('')
  expect(blocksIn(source('README.md'))).toEqual([...installations, tests])
})

describe.skipIf(found === undefined)('the verifier in Go', { timeout: longest }, () => {
  beforeAll(async () => {
    expect(await run(['test', unvetted, '-c', '-o', `${linkedTests}/`, './...'])).toEqual(passed)
  }, longest)

  test('is formatted, and go vet finds nothing', async () => {
    expect(await run(['-l', '.'], { program: await gofmt() })).toEqual(silent)
    expect(await run(['vet', './...'])).toEqual(silent)
  })

  test('needs no module but its own', async () => {
    expect(await run(['list', '-m', 'all'])).toEqual({ status: 0, output: 'latchkey\n' })
  })

  test('agrees with every vector, and passes its other tests and the seeds of its fuzz tests', async () => {
    const { status, output } = await runPackages()
    expect(output).not.toMatch(/^--- (?:FAIL|SKIP)/m)
    expect(status).toBe(0)
    const checked = [
      ...[
        'EveryTokenOfTheVectorsIsCheckedAsTheySay',
        'EveryPathAndScopeOfTheVectorsIsCheckedAsTheySay',
      ],
      ...['EveryRequestOfTheVectorsIsCheckedAsTheySay', 'EveryListOfTheVectorsIsReadAsTheySay'],
      ...['EveryHeadAndHistoryOfTheVectorsEndsAsTheySay'],
      ...['EveryRowOfTheVectorsIsMadeAndShownAsTheySay'],
      ...['EveryRequestOfTheVectorsEndsOverARealConnectionAsTheySay'],
    ].map((name) => `Test${name}`)
    for (const name of [...checked, ...namedTests, ...fuzzTests])
      expect(output).toContain(`--- PASS: ${name} (`)
    expect(namedTests).toEqual(
      expect.arrayContaining(['Example', 'ExampleGate_Guard', 'ExampleHub']),
    )
  })

  // The standard library is compiled a second time for it.
  test.runIf(hasRace)('has no data race', { tags: 'soak' }, async () => {
    const env = { CGO_ENABLED: '1' }
    expect(await run(['test', '-count=1', '-race', './...'], { env })).toEqual(passed)
  })

  // conformance: Guarantees / Verifiers in Python and Go decide as the gate does
  // conformance: Keys / Verifiers in other languages decide as the gate does
  test('agrees with the gate on mutated tokens, requests, heads, lists and keys', async () => {
    // The test binary judges where it is told to.
    const verifier = lineVerifier({
      program,
      words: [],
      cwd: verifyPackage,
      env: { LATCHKEY_VERIFY_LINES: '1' },
    })
    const count = rounds(500, 100_000)
    const compared = await compareWithGate(verifier, count, printedChance('the Go verifier'))
    await verifier.close()
    expect(compared.disagreements).toEqual([])
    expect(compared.asked).toBe(count)
  })

  test('is measured beside bare verification', async () => {
    const words = benchmark.replaceAll("'", '').replaceAll(' -', ' -test.').split(' ').slice(1, -1)
    const { status, output } = await run([...words, '-test.benchtime', '1x'], {
      program,
      cwd: verifyPackage,
    })
    expect(status).toBe(0)
    for (const name of ['ES256/bare', 'ES256/verified', 'EdDSA/bare', 'EdDSA/verified']) {
      expect(output).toMatch(new RegExp(`^Benchmark${name}\\S*\\s+1\\s+\\d+ ns/op`, 'm'))
    }
  })

  test.each(installations.slice(0, rounds(1, installations.length)))(
    'the handler of the guide serves a client with a valid token and no other, installed in way %$',
    async (installation) => {
      const hub = await runningHub()
      const ask = await serveGuide(hub.url, { 'main.go': handlerFile }, installation)
      const valid = tokenNow(hub.url)
      const [status, text] = await ask('GET', '/v1/shards', valid)
      expect([status, text]).toEqual([200, 'ada-id may read models/acme/bert: /v1/shards\n'])
      const missing = [401, expect.stringContaining('"storage_token_missing"')]
      expect(await ask('GET', '/v1/shards')).toEqual(missing)
      const refused = [403, expect.stringContaining('"insufficient_scope"')]
      expect(await ask('POST', '/v1/shards', valid)).toEqual(refused)
    },
  )

  test('the storage of the guide shows each token the content of its ref and what it inherits', async () => {
    const hub = await runningHub()
    const handler = 'http.HandlerFunc(hello)'
    expect(handlerFile).toContain(handler)
    const ask = await serveGuide(hub.url, {
      'main.go': handlerFile.replace(handler, 'chunkStorage(openDatabase())'),
      'chunks.go': storageFile,
      'database.go': readFileSync(join(guideFolder, 'database.go'), 'utf8'),
    })
    const content = 'a chunk'
    const pathOf = (body: string) => `/v1/chunks/${createHash('sha256').update(body).digest('hex')}`
    const chunk = pathOf(content)
    const longAgo = journalNumber(1)
    const put = async (scope: 'read' | 'write', body = content, jti = 'first') => {
      const bearer = tokenNow(hub.url, { scope, jti, as_of: longAgo })
      return (await ask('PUT', chunk, bearer, { body }))[0]
    }
    const get = (change: Partial<Claims> = {}, at: string = prefix, path = chunk) =>
      ask('GET', path, tokenNow(hub.url, change), { prefix: at })
    const dev = { name: 'refs/heads/dev', uid: asRefUid('devuid') }
    const getByDev = async (...numbers: number[]) => {
      const sees = numbers.map((number) => ({ uid: main.uid, before: journalNumber(number) }))
      return (await get({ ref: dev, sees }, `/r/${bert.uid}/devuid`))[0]
    }

    const before = Date.now()
    expect(await put('read')).toBe(403)
    expect(await put('write', 'another chunk')).toBe(400)
    expect((await get())[0]).toBe(404)
    expect(await put('write')).toBe(200)
    const after = Date.now() + 1
    await setTimeout(10)
    expect(await put('write', content, 'again')).toBe(200)
    expect(await get()).toEqual([200, content])
    expect(await getByDev()).toBe(404)
    expect(await getByDev(before)).toBe(404)
    expect(await getByDev(after)).toBe(200)
    expect(await getByDev(before, after)).toBe(200)
    const other = { ...bert, id: 'acme/gpt', uid: asRepositoryUid('gptuid') }
    expect((await get({ repo: other }, `/r/gptuid/${main.uid}`))[0]).toBe(404)

    const ahead = Date.now() + 60_000
    const newer = tokenNow(hub.url, { scope: 'write', as_of: journalNumber(ahead) })
    const late = 'content of a token that is newer than the fork'
    expect((await ask('PUT', pathOf(late), newer, { body: late }))[0]).toBe(200)
    const getLate = async (number: number) => {
      const sees = [{ uid: main.uid, before: journalNumber(number) }]
      return (await get({ ref: dev, sees }, `/r/${bert.uid}/devuid`, pathOf(late)))[0]
    }
    expect(await getLate(ahead)).toBe(404)
    expect(await getLate(ahead + 1)).toBe(200)
  })
})

const isExampleMissing = found === undefined || !hasModulesOfExample()
if (isExampleMissing) console.warn('NOT TESTED: chi is not downloaded, so its storage is not run')

describe.skipIf(isExampleMissing)('the example of a storage on chi', { timeout: longest }, () => {
  test('is formatted, has less than 60 lines, and passes its tests with the fake hub', async () => {
    const cwd = goExample
    expect(await run(['-l', '.'], { program: await gofmt(), cwd })).toEqual(silent)
    const { status, output } = await run(['test', '-count=1', '-v', '.'], { cwd })
    expect(output.match(/^--- PASS: /gm)).toHaveLength(10)
    expect(status).toBe(0)
    const storage = readFileSync(join(goExample, 'storage.go'), 'utf8')
    expect(storage.trimEnd().split('\n').length).toBeLessThan(60)
  })
})

async function runningHub() {
  const hub = await scriptedHub()
  hub.revocations.useIssuer(hub.url)
  return hub
}

function tokenNow(iss: string, change: Partial<Claims> = {}): string {
  const iat = unixSeconds(Math.floor(Date.now() / 1000))
  return token({ iss, iat, exp: unixSeconds(iat + 900), ...change })
}

/** Their seeds are among the tests above. */
if (found !== undefined && isSoak) {
  test.each(fuzzTests)('%s, whatever is sent', { timeout: longest }, async (name) => {
    const words = ['test', '-run', '^$', '-fuzz', `^${name}$`, '-fuzztime', '30s', './verify']
    expect(await run(words)).toEqual(passed)
  })
}

async function gofmt(): Promise<string> {
  const { output } = await run(['env', 'GOROOT'])
  return join(output.trim(), 'bin', 'gofmt')
}

/** In a module of its own, made as the README says. */
async function serveGuide(
  hubUrl: string,
  files: Readonly<Record<string, string>>,
  installation: string = installations[0] ?? '',
) {
  const [cwd, port] = [temporaryFolder(), await freePort()]
  const program = join(cwd, 'storage')
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(cwd, name), text.replace(':8081', `:${port}`))
  }
  const install = installation.replaceAll('/path/to/latchkey/clients/go', goModule)
  expect(await run(['mod', 'init', 'example'], { cwd })).toEqual(passed)
  expect(await run(['-ec', install], { program: 'sh', cwd })).toEqual(silent)
  expect(await run(['mod', 'vendor'], { cwd })).toEqual(silent)
  expect(await run(['-l', '.'], { program: await gofmt(), cwd })).not.toMatchObject({
    output: expect.stringMatching(/^(?:main|chunks)\.go$/m),
  })
  expect(await run(['vet', '.'], { cwd })).toEqual(silent)
  expect(await run(['build', '-o', program, '.'], { cwd })).toEqual(silent)
  const sqlite = {
    SQLITE_NODE: process.execPath,
    SQLITE_PROGRAM: join(guideFolder, 'sqlite.mjs'),
  }
  const env = { ...goEnvironment(), ...sqlite, HUB_URL: hubUrl, CAS_URL: casUrl }
  const storage = spawn(program, { env, stdio: 'ignore' })
  const exit = once(storage, 'exit')
  onTestFinished(async () => {
    storage.kill()
    await exit
  })
  const ask = async (
    method: string,
    path: string,
    bearer?: string,
    { body, prefix: at = prefix }: { readonly body?: string; readonly prefix?: string } = {},
  ): Promise<[number, string]> => {
    const headers: Record<string, string> = bearer ? { authorization: `Bearer ${bearer}` } : {}
    const init = { method, headers, ...(body === undefined ? {} : { body }) }
    const response = await fetch(`http://127.0.0.1:${port}${at}${path}`, init)
    return [response.status, await response.text()]
  }
  await vi.waitFor(() => ask('GET', '/v1/shards'), { timeout: 60_000 })
  return ask
}
