/** The client in Python: its own tests, among them every case of the vectors, and its wheel. */

import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import {
  isInstalled,
  pipProgram,
  pythonVerifier,
  pythonVerifierOfSoak,
} from '@latchkey/testing/tools/python-environments'
import { runProgram as run } from '@latchkey/testing/tools/run-program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../../..')
const home = join(root, 'clients/python-client')
const isSoak = rounds(0, 1) === 1
const environment = isSoak ? pythonVerifierOfSoak : pythonVerifier
const isMissing = !isInstalled(environment)
if (isMissing) {
  console.warn(`NOT TESTED: the packages of ${environment.name} are not installed, so nothing is`)
}

/** The client is not installed, but read where it is. Below node_modules, so that `npm ci` clears what Python compiles. */
const withClient = {
  PYTHONPATH: join(home, 'src'),
  PYTHONPYCACHEPREFIX: join(root, 'node_modules/.cache/latchkey-python'),
  PYTHONDONTWRITEBYTECODE: '',
}
const mypyCache = join(root, 'node_modules/.cache/latchkey-mypy')

describe.skipIf(isMissing)('latchkey-client', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-client-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const python = (...words: string[]) =>
    run(environment.python, words, { cwd: folder, env: withClient })

  test('passes all of its tests, every case of the vectors among them', async () => {
    const { status, output } = await run(environment.python, ['-m', 'unittest'], {
      ...{ cwd: join(home, 'tests'), env: withClient },
    })
    expect(output).toMatch(/Ran \d+ tests in [\d.]+s\n\nOK\n$/)
    expect(status).toBe(0)
  })

  test('spells paths and scopes as the verifier does', () => {
    for (const name of ['scope_rules', 'storage_path', 'later_unicode']) {
      const [own = 'none', other] = globSync(`clients/*/src/*/${name}.py`, { cwd: root }).map(
        (file) => readFileSync(join(root, file), 'utf8'),
      )
      expect(other, name).toBe(own)
    }
  })

  test('describes every public name, and so does the verifier', async () => {
    const program = join(import.meta.dirname, 'docstrings.py')
    const paths = ['clients/python/src', 'clients/python-client/src'].map((each) =>
      join(root, each),
    )
    const env = { ...withClient, PYTHONPATH: paths.join(delimiter) }
    const entries = (name: string, parts: readonly string[]) => [
      name,
      ...parts.map((part) => `${name}.${part}`),
    ]
    const modules = [
      ...entries('latchkey_verify', ['asgi', 'wsgi', 'fastapi', 'testing']),
      ...entries('latchkey_client', ['requests', 'httpx']),
    ]
    const described = await run(environment.python, [program, ...modules], { cwd: folder, env })
    expect(described).toEqual({ status: 0, output: '' })
  })

  test('is a wheel with types, without a dependency and without its tests', async () => {
    const build = ['-m', 'hatchling', 'build', '--target', 'wheel', '--directory', folder]
    const built = await run(environment.python, build, { cwd: home, env: withClient })
    expect(built).toMatchObject({ status: 0 })
    const [wheel = 'none was built'] = globSync('latchkey_client-*.whl', { cwd: folder })
    const program = [
      'import sys, zipfile',
      'wheel = zipfile.ZipFile(sys.argv[1])',
      'names = wheel.namelist()',
      'print(*names, sep="\\n")',
      '[metadata] = [name for name in names if name.endswith("/METADATA")]',
      'print(wheel.read(metadata).decode())',
    ].join('\n')
    const { output } = await python('-c', program, join(folder, wheel))
    expect(output).toContain('latchkey_client/py.typed\n')
    expect(output).toContain('licenses/LICENSE\n')
    const [names = ''] = output.split('Metadata-Version')
    expect(names).not.toMatch(/tests?\/|test_/)
    expect(output.match(/^Requires-Dist: (?!.*extra ==).*$/gm)).toBeNull()
  })

  test('installs from a checkout and imports nothing beyond the standard library', {
    tags: 'soak',
  }, async () => {
    const bare = {
      cwd: folder,
      env: { PIP_NO_INDEX: '1', PIP_FIND_LINKS: environment.wheels ?? '' },
    }
    await run(environment.python, ['-m', 'venv', '--without-pip', 'fresh'], bare)
    const fresh = join(folder, 'fresh/bin/python')
    const installed = await run(fresh, [pipProgram(), 'install', home], bare)
    expect(installed.output).toContain('Successfully installed latchkey-client')
    const imported = await run(fresh, ['-c', 'import latchkey_client'], bare)
    expect(imported).toEqual({ status: 0, output: '' })
  })

  test('keeps its types under mypy --strict, also in what it asks of a program', {
    tags: 'soak',
  }, async () => {
    const mypy = ['-m', 'mypy', '--cache-dir', mypyCache]
    expect((await run(environment.python, mypy, { cwd: home })).output).toMatch(
      /^Success: no issues found in \d+ source files\n$/,
    )
    const file = join(folder, 'program.py')
    const lines = [
      'from latchkey_client import Client',
      'Client(7, "models/acme/bert")',
      'Client("https://hub.example", "models/acme/bert", hubToken="lk")',
    ]
    writeFileSync(file, `${lines.join('\n')}\n`)
    const wrong = await python(...mypy, '--strict', '--python-version', '3.10', file)
    expect(wrong.output).toContain('program.py:2: error: Argument 1 to "Client"')
    expect(wrong.output).toContain('program.py:3: error: Unexpected keyword argument "hubToken"')
  })
})
