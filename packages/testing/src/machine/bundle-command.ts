/** Bundles the `latchkey` command before the tests run: its start takes a third of the time that Node needs for hundreds of files. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build, type Rolldown } from 'vite'
import { bundledBin } from './latchkey-bin.ts'
import { startedFiles } from './started-files.ts'

const packages = resolve(import.meta.dirname, '../../..')
const bin = join(packages, 'cli/bin')

/** Called by vitest once for each run. */
export default async function bundleCommand(): Promise<void> {
  for (const name of readdirSync(bin)) put(`bin/${name}`, readFileSync(join(bin, name), 'utf8'))
  for (const file of await bundled())
    if (file.type === 'chunk') put(`src/${file.fileName}`, file.code)
}

async function bundled(): Promise<Rolldown.RolldownOutput['output']> {
  const output = await build({
    root: packages,
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
        output: { entryFileNames: '[name].ts', chunkFileNames: '[name].js' },
      },
    },
  })
  if (!('output' in output)) throw new Error('vite has built nothing')
  return output.output
}

/** A file that has not changed stays untouched: another run of the tests may be starting it. */
function put(name: string, text: string): void {
  const file = resolve(dirname(bundledBin), '..', name)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  mkdirSync(dirname(file), { recursive: true })
  // The shell of a test may run the command by its name.
  writeFileSync(file, text, { mode: 0o755 })
}
