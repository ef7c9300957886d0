/** The verifier for storages in Python, held against the gate; a soak installs it into a fresh environment before. */

import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { printedChance, rounds } from '@latchkey/testing/chance'
import { changedCharacters } from '@latchkey/testing/changed-characters'
import { compareWithGate } from '@latchkey/testing/differential/compare-with-gate'
import { lineVerifier } from '@latchkey/testing/differential/line-verifier'
import {
  isInstalled,
  pipProgram,
  pythonVerifier,
  pythonVerifierOfSoak,
} from '@latchkey/testing/tools/python-environments'
import { runProgram as run } from '@latchkey/testing/tools/run-program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../../..')
const isSoak = rounds(0, 1) === 1
const environment = isSoak ? pythonVerifierOfSoak : pythonVerifier
const isMissing = !isInstalled(environment)
if (isMissing) {
  console.warn(`NOT TESTED: the packages of ${environment.name} are not installed, so nothing is`)
}

/** Until a soak the verifier is not installed, but read where it is. What Python compiles is kept as the types below are. */
const withVerifier: Readonly<Record<string, string>> = isSoak
  ? { PYTHONDONTWRITEBYTECODE: '1' }
  : {
      PYTHONPATH: join(root, 'clients/python/src'),
      PYTHONPYCACHEPREFIX: join(root, 'node_modules/.cache/latchkey-python'),
      PYTHONDONTWRITEBYTECODE: '',
    }

/** The types of the standard library are read once for many runs. Below node_modules, so that `npm ci` clears it. */
const mypyCache = join(root, 'node_modules/.cache/latchkey-mypy')

describe.skipIf(isMissing)('latchkey-verify', () => {
  let folder: string
  /** In a soak, one with nothing but the package and what its tests read. */
  let checkout = root
  /** In a soak, that of the fresh environment. */
  let python: string

  /** In the fresh environment. The pip that fills it is not its own, and finds the pinned files and nothing else. */
  const shell = (script: string, env: Readonly<Record<string, string>> = {}) =>
    run('sh', ['-ec', `pip() { python '${pipProgram()}' "$@"; }\n${script}`], {
      cwd: checkout,
      env: {
        PATH: `${join(folder, 'fresh/bin')}:${process.env['PATH']}`,
        PIP_NO_INDEX: '1',
        PIP_FIND_LINKS: environment.wheels ?? '',
        PIP_DISABLE_PIP_VERSION_CHECK: '1',
        // Python compiles what it loads; most of what is installed is never loaded.
        PIP_NO_COMPILE: '1',
        ...env,
      },
    })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-verify-'))
    python = isSoak ? join(folder, 'fresh/bin/python') : environment.python
    if (!isSoak) return
    checkout = join(folder, 'checkout')
    for (const part of ['clients/python', 'vectors', 'docs']) {
      cpSync(join(root, part), join(checkout, part), { recursive: true })
    }
    const venv = ['-m', 'venv', '--without-pip', 'fresh']
    expect(await run(environment.python, venv, { cwd: folder })).toEqual({ status: 0, output: '' })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const commandsIn = (text: string) =>
    Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
  /** The commands of the README, in the order in which they stand there. */
  const commands = () => commandsIn(readFileSync(join(root, 'clients/python/README.md'), 'utf8'))
  const commandWith = (words: string) => commands().find((block) => block.includes(words)) ?? words

  test('is a wheel with types, one dependency and nothing of its tests', async () => {
    const build = ['-m', 'hatchling', 'build', '--target', 'wheel', '--directory', folder]
    const cwd = join(checkout, 'clients/python')
    const built = await run(environment.python, build, { cwd, env: withVerifier })
    expect(built).toMatchObject({ status: 0 })
    const [wheel = 'none was built'] = globSync('latchkey_verify-*.whl', { cwd: folder })
    const program = [
      'import sys, zipfile',
      'wheel = zipfile.ZipFile(sys.argv[1])',
      'names = wheel.namelist()',
      'print(*names, sep="\\n")',
      '[metadata] = [name for name in names if name.endswith("/METADATA")]',
      'print(wheel.read(metadata).decode())',
    ].join('\n')
    const words = ['-c', program, join(folder, wheel)]
    const { output } = await run(environment.python, words, { cwd: folder })
    expect(output).toContain('latchkey_verify/py.typed\n')
    expect(output).toContain('licenses/LICENSE\n')
    const [names = ''] = output.split('Metadata-Version')
    expect(names).not.toMatch(/tests?\/|test_|bench|\/lines\.py/)
    const needed = output.match(/^Requires-Dist: (?!.*extra ==).*$/gm)
    expect(needed).toEqual([expect.stringMatching(/^Requires-Dist: cryptography>=\d+$/)])
  })

  test('installs as a wheel, as its README says', { tags: 'soak' }, async () => {
    const { status, output } = await shell(commandWith('pip wheel'))
    expect(output).toContain('Successfully installed')
    expect(status).toBe(0)
  })

  // conformance: Keys / Verifiers in other languages decide as the gate does
  test('decides as the gate does about mutated tokens, requests and documents', async () => {
    const words = [join(root, 'clients/python/tests/lines.py')]
    const verifier = lineVerifier({ program: python, words, env: withVerifier })
    const count = rounds(500, 100_000)
    const compared = await compareWithGate(verifier, count, printedChance('the verifier in Python'))
    await verifier.close()
    expect(compared.disagreements).toEqual([])
    expect(compared.asked).toBe(count)
  })

  // Until a soak, the planes that have letters: in the others every character folds to itself.
  test('folds every character as the gate does, whatever Unicode Python has', async () => {
    const fold = (text: string) =>
      text
        .normalize('NFKD')
        .replace(/[. ]+$/, '')
        .toUpperCase()
    const end = rounds(0x40000, 0x110000)
    const folded = changedCharacters(fold, end).map((each) => [each, fold(each)])
    const file = join(folder, 'folded.json')
    writeFileSync(file, JSON.stringify(Object.fromEntries(folded)))
    const program = [
      'import json, sys',
      'from latchkey_verify.scope_rules import fold',
      'folded = json.load(open(sys.argv[1], encoding="utf-8"))',
      'def wrong(block):',
      '    if folded.keys().isdisjoint(block) and fold(block) == block: return []',
      '    return [each for each in block if fold(each) != folded.get(each, each)]',
      `starts = (code for code in range(0x80, ${end}, 0x80) if not 0xd800 <= code < 0xe000)`,
      'blocks = ("".join(map(chr, range(start, start + 0x80))) for start in starts)',
      'print([hex(ord(each)) for block in blocks for each in wrong(block)])',
    ].join('\n')
    const { output } = await run(python, ['-c', program, file], { cwd: folder, env: withVerifier })
    expect(output).toBe('[]\n')
  })

  test('installs from a checkout', { tags: 'soak' }, async () => {
    const { output } = await shell(commandWith('[fastapi]'))
    expect(output).toContain('Successfully installed')
  })

  // conformance: Keys / Verifiers in other languages decide as the gate does
  test('passes all of its tests, every vector among them', async () => {
    const cwd = join(checkout, 'clients/python/tests')
    const { status, output } = isSoak
      ? await shell(commandWith('unittest'))
      : await run(python, ['-m', 'unittest'], { cwd, env: withVerifier })
    expect(output).toMatch(/Ran 1\d\d tests in [\d.]+s\n\nOK\n$/)
    expect(status).toBe(0)
  })

  test('keeps a storage in FastAPI isolated, as its own tests and that of the guide show', async () => {
    const cwd = join(root, 'examples/fastapi-storage')
    const guide = readFileSync(join(root, 'docs/guides/test-your-storage.md'), 'utf8')
    const [, block = ''] = /^```python\n(.*?)^```$/ms.exec(guide) ?? []
    writeFileSync(join(folder, 'test_guide.py'), block)
    const env = { ...withVerifier, PYTHONPATH: `${join(root, 'clients/python/src')}:${folder}` }
    const words = ['-W', 'ignore', '-m', 'unittest', 'test_storage', 'test_guide']
    const { status, output } = await run(python, words, { cwd, env })
    expect(output).toMatch(/Ran 11 tests in [\d.]+s\n\nOK\n$/)
    expect(status).toBe(0)
    const storage = readFileSync(join(cwd, 'storage.py'), 'utf8')
    expect(storage.split('\n').length).toBeLessThanOrEqual(60)
  })

  test('measures what a check costs', { tags: 'soak' }, async () => {
    const { status, output } = await shell(commandWith('bench/verify.py'), { ROUNDS: '1' })
    expect(output).toMatch(/unseen token +\d+\.\d\d.*\n +seen token +\d+\.\d\d/)
    expect(status).toBe(0)
  })

  test('has no command in its documentation that a soak does not run here', () => {
    const run = ['pip wheel', '[fastapi]', 'unittest', 'bench/verify.py'].map(commandWith)
    expect(commands().toSorted()).toEqual(run.toSorted())
    const guide = readFileSync(join(root, 'docs/guides/python.md'), 'utf8')
    expect(commandsIn(guide)).toEqual([commandWith('[fastapi]')])
  })

  test('keeps its types under mypy --strict, also in what it asks of an application', {
    tags: 'soak',
  }, async () => {
    const cwd = join(checkout, 'clients/python')
    const mypy = ['-m', 'mypy', '--cache-dir', mypyCache]
    expect((await run(environment.python, mypy, { cwd })).output).toMatch(
      /^Success: no issues found in \d+ source files\n$/,
    )
    const file = join(folder, 'application.py')
    writeFileSync(
      file,
      'from latchkey_verify import Gate, Options\nGate(Options(hub_url=7))\nGate(Options(hubUrl="x"))\n',
    )
    // Of the same Python as above, whose types are read already.
    const same = ['--strict', '--python-version', '3.10']
    const words = [...mypy, ...same, '--python-executable', python, file]
    const wrong = await run(environment.python, words, { cwd: folder })
    expect(wrong.output).toContain('application.py:2: error: Argument "hub_url" to "Options"')
    expect(wrong.output).toContain('application.py:3: error: Unexpected keyword argument "hubUrl"')
  })
})
