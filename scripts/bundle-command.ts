/** Bundles the `latchkey` command into `packages/cli/dist`: a start takes half the time that Node needs for hundreds of files. */

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
import type { Rolldown } from 'vite'
import { chunkNames } from './chunk-names.ts'
import { startedFiles, withCompiledNames } from './packages/started-files.ts'
import { withPlainBuiltins } from './plain-builtins.ts'

const root = resolve(import.meta.dirname, '..')
const dist = join(root, 'packages/cli/dist')
const record = join(dist, 'bundle.json')

/** The same file in the bundle, which a thread loads in a third of the time. */
export function bundledFile(source: URL): URL {
  const found = Object.entries(startedFiles).find(([, file]) => source.pathname.endsWith(file))
  if (found === undefined) throw new Error(`${source.pathname} is not among the started files`)
  const { folder } = JSON.parse(readFileSync(record, 'utf8'))
  return pathToFileURL(join(dist, folder, `${found[0]}.js`))
}

/** vitest calls it once for each run: the processes that tests start run what people run. */
export default async function bundleCommand(): Promise<void> {
  const begun = await nextSecond()
  const { files, modules } = await bundled()
  const inputs = [...new Set(modules.flatMap(inputsOf))].sort().map(asItIs)
  const folder = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16)
  put(folder, files)
  // Who has saved a source meanwhile runs the sources.
  const isOld = inputs.every(([, , seconds]) => seconds < begun)
  replace(
    record,
    JSON.stringify({ folder, inputs: isOld ? inputs : [['changed meanwhile', 0, 0]] }),
  )
  removeOld(folder)
}

/** Times are compared in seconds, because archives keep no more: a source that is saved from now on has a later one. */
async function nextSecond(): Promise<number> {
  await setTimeout(1000 - (Date.now() % 1000))
  return Math.floor(Date.now() / 1000)
}

/** The names and texts of the bundle, for a folder anywhere. */
export async function bundleFiles(): Promise<Files> {
  return (await bundled()).files
}

type Files = Readonly<Record<string, string>>

async function bundled(): Promise<{ files: Files; modules: readonly string[] }> {
  const { build, defaultServerConditions } = await import('vite')
  const { dependencies } = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8'))
  const modules = new Map<string, readonly string[]>()
  let nameOf: (id: string) => string | null = () => null
  const output = await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    // Native code cannot be bundled: the command depends on it, and on nothing else.
    ssr: {
      noExternal: true,
      external: Object.keys(dependencies),
      resolve: { conditions: ['@latchkey/source', ...defaultServerConditions] },
    },
    // Also those of which nothing is left in the bundle.
    plugins: [
      {
        name: 'inputs',
        moduleParsed: ({ id, importedIds }) => void modules.set(id, importedIds),
        buildEnd() {
          nameOf = chunkNames(root, startedFiles, modules)
        },
      },
    ],
    build: {
      ssr: true,
      write: false,
      target: 'esnext',
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        input: startedFiles,
        // In the sources a late import saves time; in the bundle the module is there already.
        checks: { ineffectiveDynamicImport: false },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [{ debugName: 'few files', name: (id) => nameOf(id) }],
          },
        },
      },
    },
  })
  if (!('output' in output)) throw new Error('vite has built nothing')
  return { files: filesOf(output.output), modules: [...modules.keys()] }
}

function filesOf(output: Rolldown.RolldownOutput['output']): Files {
  return Object.fromEntries(
    output.map((file) => [
      file.fileName,
      file.type === 'chunk' ? withPlainBuiltins(withCompiledNames(file.code)) : String(file.source),
    ]),
  )
}

/** A source with the package.json of its package; the list of what npm has installed for all that others wrote. */
function inputsOf(module: string): readonly string[] {
  const own = [
    'scripts/bundle-command.ts',
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

/** `bin/which-main.js` compares it with what is there. */
function asItIs(file: string): Input {
  const { size, mtimeMs } = statSync(join(root, file))
  return [file, size, Math.floor(mtimeMs / 1000)]
}

/** All of it at once. A folder of this name has the same files: its name is made of them. */
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
    // Another run was faster.
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
  chmodSync(file, 0o644)
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
}

const dayMs = 24 * 60 * 60 * 1000

/** A hub that was started from an earlier one may still load its files, for a day. */
function removeOld(folder: string): void {
  for (const name of readdirSync(dist)) {
    const path = join(dist, name)
    // `npm run build` makes the last of them.
    const isOther = ![basename(record), folder, 'command'].includes(name)
    if (isOther && Date.now() - statSync(path).mtimeMs > dayMs) {
      rmSync(path, { recursive: true, force: true })
    }
  }
}
