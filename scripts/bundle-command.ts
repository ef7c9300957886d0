/** Keeps a bundle of the `latchkey` command in `packages/cli/dist`: Node loads it in half the time of hundreds of sources. */

import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { TestProject } from 'vitest/node'
import { bundleCommandFiles, type Files } from './bundle-files.ts'
import { startedFiles } from './packages/started-files.ts'

const root = resolve(import.meta.dirname, '..')
const dist = join(root, 'packages/cli/dist')
const record = join(dist, 'bundle.json')
/** Where a bundle lies in the package. */
const packed = 'dist/command'
const binFiles = readdirSync(join(root, 'packages/cli/bin')).map(
  (name) => `packages/cli/bin/${name}`,
)

/** The bundled form of a started file, which a thread loads in a third of the time. */
export function bundledFile(source: URL): URL {
  const found = Object.entries(startedFiles).find(([, file]) => source.pathname.endsWith(file))
  if (found === undefined) throw new Error(`${source.pathname} is not among the started files`)
  const { folder } = JSON.parse(readFileSync(record, 'utf8'))
  return pathToFileURL(join(dist, folder, packed, `${found[0]}.js`))
}

/** The files of the command as npm packs them, of the bundle that is kept; of a new one where none is of these sources. */
export async function keptFiles(): Promise<Files> {
  if (!isMade()) return (await bundleCommandFiles()).files
  const { folder } = JSON.parse(readFileSync(record, 'utf8'))
  const entries = readdirSync(join(dist, folder, packed), { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((file) => [relative(join(dist, folder, packed), file), readFileSync(file, 'utf8')]),
  )
}

/** vitest calls it once for each run: the processes that tests start run what people run. A bundle of these sources stays. */
export default async function bundleCommand(project?: TestProject): Promise<void> {
  if (!isMade()) await makeBundle()
  // Changes during a run of all tests are for the next one. The command would look for some at each start, which takes 10 ms.
  if (project?.vitest.config.watch === false && isMade()) {
    const { folder } = JSON.parse(readFileSync(record, 'utf8'))
    process.env['TEST_RUN_COMMAND'] = join(dist, folder, 'bin/latchkey.js')
  }
}

async function makeBundle(): Promise<void> {
  const begun = await nextSecond()
  const { files: bundled, modules, modulesOf } = await bundleCommandFiles()
  // Beside what npm packs: which sources a process has loaded with a file of the bundle.
  const files = { ...asPackage(bundled), 'modules.json': JSON.stringify(modulesOf) }
  const inputs = [...new Set(modules.flatMap(inputsOf))].sort().map(stateOf)
  const folder = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16)
  put(folder, files)
  // If a source was saved meanwhile, the record names a file that does not exist, so the command runs its sources.
  const isCurrent = inputs.every(([, , seconds]) => seconds < begun)
  replace(
    record,
    JSON.stringify({ folder, inputs: isCurrent ? inputs : [['changed meanwhile', 0, 0]] }),
  )
  removeOld(folder)
}

/** The files as npm packs them. Without sources beside it, the command starts its bundle. */
function asPackage(bundled: Files): Files {
  return Object.fromEntries([
    ...binFiles.map((file) => [`bin/${basename(file)}`, readFileSync(join(root, file), 'utf8')]),
    ...Object.entries(bundled).map(([name, text]) => [join(packed, name), text]),
  ])
}

function isMade(): boolean {
  try {
    const { folder, inputs } = JSON.parse(readFileSync(record, 'utf8'))
    const isSame = (input: Input) => isDeepStrictEqual(stateOf(input[0]), input)
    return existsSync(join(dist, folder)) && inputs.every(isSame)
  } catch {
    // There is no bundle, or a file that it was made of is gone.
    return false
  }
}

/** Times are compared in seconds, because archives keep no more: a source that is saved from now on has a later one. */
async function nextSecond(): Promise<number> {
  await setTimeout(1000 - (Date.now() % 1000))
  return Math.floor(Date.now() / 1000)
}

/** Files whose change makes the bundle old: a source and its package.json, or npm's list for an installed module. */
function inputsOf(module: string): readonly string[] {
  const own = [
    ...binFiles,
    'scripts/bundle-command.ts',
    'scripts/bundle-files.ts',
    'scripts/chunk-names.ts',
    'scripts/packages/started-files.ts',
    'scripts/plain-builtins.ts',
  ]
  const file = relative(root, module)
  if (!existsSync(join(root, file))) return own
  if (file.startsWith('node_modules/')) return [...own, 'node_modules/.package-lock.json']
  const [, folder = ''] = /^(packages\/[^/]+)\//.exec(file) ?? []
  return [...own, file, `${folder}/package.json`]
}

type Input = readonly [file: string, bytes: number, changedSeconds: number]

/** `bin/which-main.js` compares it with the file. */
function stateOf(file: string): Input {
  const { size, mtimeMs } = statSync(join(root, file))
  return [file, size, Math.floor(mtimeMs / 1000)]
}

/** Atomic. A folder of this name has the same files, because the name is their hash. */
function put(folder: string, files: Files): void {
  if (existsSync(join(dist, folder))) return
  makeFolder(dist)
  const draft = mkdtempSync(join(dist, 'draft-'))
  chmodSync(draft, 0o755)
  for (const [name, text] of Object.entries(files)) {
    makeFolder(dirname(join(draft, name)))
    write(join(draft, name), text)
  }
  try {
    renameSync(draft, join(dist, folder))
  } catch (error) {
    rmSync(draft, { recursive: true })
    // Another run may have made it first.
    if (!existsSync(join(dist, folder))) throw error
  }
}

function replace(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  write(draft, text)
  renameSync(draft, file)
}

/** For all users, whatever the umask of this one. */
function write(file: string, text: string): void {
  writeFileSync(file, text)
  chmodSync(file, text.startsWith('#!') ? 0o755 : 0o644)
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
}

const dayMs = 24 * 60 * 60 * 1000

/** Earlier bundles are kept for a day: a hub that was started from one may still load files of it. */
function removeOld(folder: string): void {
  for (const name of readdirSync(dist)) {
    const path = join(dist, name)
    // `npm run build` makes the folder `command`.
    const isOther = ![basename(record), folder, 'command'].includes(name)
    if (isOther && Date.now() - statSync(path).mtimeMs > dayMs) {
      rmSync(path, { recursive: true, force: true })
    }
  }
}

if (import.meta.main) await bundleCommand()
