/** Bundles the `latchkey` command into `packages/cli/dist`: a start takes half the time that Node needs for hundreds of files. */

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Rolldown } from 'vite'

const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'packages/cli/dist')

/**
 * The source files that are started by their address, as a process or as a thread: named as their starters name them. The
 * bundle is one folder, so `new URL('./requests/plan-work.ts', import.meta.url)` finds the file from every chunk.
 */
export const startedFiles: Readonly<Record<string, string>> = {
  main: 'packages/cli/src/main.ts',
  'storage-child': 'packages/cli/src/serve/storage-child.ts',
  thread: 'packages/storage/src/threads/thread.ts',
  'xorb-work': 'packages/storage/src/checking/xorb-work.ts',
  'requests/plan-work': 'packages/storage/src/requests/plan-work.ts',
  'requests/shard-work': 'packages/storage/src/requests/shard-work.ts',
  'cutting-thread': 'packages/xet/src/cutting/cutting-thread.ts',
}

/** The same file in the bundle, which a thread loads in a third of the time. */
export function bundledFile(source: URL): URL {
  const found = Object.entries(startedFiles).find(([, file]) => source.pathname.endsWith(file))
  if (found === undefined) throw new Error(`${source.pathname} is not among the started files`)
  return pathToFileURL(join(folder, `${found[0]}.ts`))
}

if (import.meta.main) await prepare()

/** After every `npm ci` and `npm install`. */
async function prepare(): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  try {
    await bundleCommand()
  } catch (error) {
    if (Object(error).code !== 'ERR_MODULE_NOT_FOUND') throw error
    console.log(
      'The command is not bundled, because vite is not installed: it runs, and starts more slowly.',
    )
  }
}

/** vitest calls it once for each run: the processes that tests start run what people run. */
export default async function bundleCommand(): Promise<void> {
  const chunks = (await bundled()).filter((file) => file.type === 'chunk')
  for (const { fileName, code } of chunks) put(fileName, code)
  const inputs = new Set(chunks.flatMap(({ moduleIds }) => moduleIds).flatMap(inputsOf))
  put('inputs.json', JSON.stringify([...inputs].sort().map(asItIs)))
}

async function bundled(): Promise<Rolldown.RolldownOutput['output']> {
  const { build } = await import('vite')
  const output = await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    // Native code cannot be bundled.
    ssr: { noExternal: true, external: ['lz4-napi', '@napi-rs/blake-hash'] },
    build: {
      ssr: true,
      write: false,
      target: 'esnext',
      rolldownOptions: {
        input: startedFiles,
        // A hub that runs loads its chunks when they are needed, also after the next bundle was made.
        output: { entryFileNames: '[name].ts', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
  if (!('output' in output)) throw new Error('vite has built nothing')
  return output.output
}

/** A source with the package.json of its package; the list of what npm has installed for all that others wrote. */
function inputsOf(module: string): readonly string[] {
  const file = relative(root, module)
  if (!existsSync(join(root, file))) return []
  if (file.startsWith('node_modules/')) return ['node_modules/.package-lock.json']
  const [, own = ''] = /^(packages\/[^/]+)\//.exec(file) ?? []
  return [file, `${own}/package.json`]
}

/** `bin/which-main.js` compares it with what is there. */
function asItIs(file: string): readonly [file: string, bytes: number, changedMs: number] {
  const { size, mtimeMs } = statSync(join(root, file))
  return [file, size, mtimeMs]
}

/** A file that has not changed stays untouched: a process may be starting it. */
function put(name: string, text: string): void {
  const file = join(folder, name)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
