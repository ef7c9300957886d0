/** Makes one file of each of the client, the file client and the gate, for programs that load them without a bundler of their own. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { minify } from 'terser'
import { build, defaultClientConditions } from 'vite'

const root = resolve(import.meta.dirname, '..')

export const clientEntry = resolve(root, 'packages/client/src/index.ts')
export const filesEntry = resolve(root, 'packages/xet/src/files.ts')
export const gateEntry = resolve(root, 'packages/gate/src/index.ts')

const bundles = {
  'packages/client/dist/latchkey-client.js': clientEntry,
  'packages/xet/dist/latchkey-files.js': filesEntry,
}

const made = new Map<string, Promise<string>>()

/** The text of an ES module that holds `entry` and all it imports, made once in a process. */
export function bundle(entry: string): Promise<string> {
  const text = made.get(entry) ?? makeBundle(entry)
  made.set(entry, text)
  return text
}

async function makeBundle(entry: string): Promise<string> {
  const built = await build({
    root,
    configFile: false,
    publicDir: false,
    mode: 'production',
    logLevel: 'warn',
    resolve: { conditions: ['@latchkey/source', ...defaultClientConditions] },
    build: {
      write: false,
      target: 'es2022',
      sourcemap: false,
      lib: { entry, formats: ['es'] },
      rolldownOptions: {
        // Vite would put an empty module in the place of one of Node's, and nobody would see it.
        external: (id) => isBuiltin(id),
        // For a library it would leave the blanks in.
        output: { minify: true },
      },
    },
  })
  const [output] = [built].flat()
  if (output === undefined || !('output' in output)) throw new Error('vite has built nothing')
  const { code } = output.output[0]
  return entry === gateEntry ? code : smaller(code)
}

/** A second pass for pages, which moves into its caller what is called once. It takes two seconds. */
async function smaller(text: string): Promise<string> {
  const { code } = await minify(text, {
    module: true,
    ecma: 2020,
    compress: { passes: 3, unsafe_arrows: true },
  })
  if (code === undefined) throw new Error('terser has written nothing')
  return code
}

/** The gate's bundle is an entry of its package, so each build makes it. */
export async function writeGateBundle(): Promise<void> {
  await write('packages/gate/dist/bundle/latchkey-gate.js', gateEntry)
}

async function write(name: string, entry: string): Promise<void> {
  const [text, file] = [await bundle(entry), resolve(root, name)]
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  if (import.meta.main) {
    console.log(`${relative(process.cwd(), file)}: ${text.length} characters`)
  }
}

if (import.meta.main) {
  for (const [name, entry] of Object.entries(bundles)) await write(name, entry)
}
