/** The files of a bundle of the `latchkey` command, in memory. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InlineConfig, Plugin, Rolldown } from 'vite'
import { chunkNames, type Imports } from './chunk-names.ts'
import { folderOf, root } from './packages/packages.ts'
import { startedFiles, withCompiledNames } from './packages/started-files.ts'
import { withPlainBuiltins } from './plain-builtins.ts'

/** Texts by file name. */
export type Files = Readonly<Record<string, string>>

export interface Bundle {
  readonly files: Files
  /** All that was read, also modules of which nothing is left in the bundle. */
  readonly modules: readonly string[]
  /** The modules of which something is left, by the file that has it. */
  readonly modulesOf: Readonly<Record<string, readonly string[]>>
}

export async function bundleCommandFiles(): Promise<Bundle> {
  const { build, defaultServerConditions } = await import('vite')
  const seen = seenModules()
  const output = await build({
    ...inMemory,
    plugins: [seen.plugin, withoutPushgateway],
    // Native code cannot be bundled: the command depends on it, and on nothing else.
    ssr: {
      noExternal: true,
      external: Object.keys(dependenciesOfCommand()),
      resolve: { conditions: ['@latchkey/source', ...defaultServerConditions] },
    },
    build: {
      ssr: true,
      write: false,
      target: 'esnext',
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        input: startedFiles,
        // In the sources a late import saves time; in the bundle the module is there already.
        checks: { ineffectiveDynamicImport: false },
        output: outputInChunks(seen.chunkOf),
      },
    },
  })
  if (!('output' in output)) throw new Error('vite has built nothing')
  return {
    files: filesOf(output.output),
    modules: [...seen.modules.keys()],
    modulesOf: Object.fromEntries(
      output.output.flatMap((file) =>
        file.type === 'chunk' ? [[file.fileName, Object.keys(file.modules)]] : [],
      ),
    ),
  }
}

/** Nothing here pushes metrics; the module would load HTTPS, TLS and zlib into every hub. */
const withoutPushgateway: Plugin = {
  name: 'without pushgateway',
  load: (id) => (id.endsWith('/prom-client/lib/pushgateway.js') ? 'module.exports = null' : null),
}

const inMemory: InlineConfig = { root, configFile: false, publicDir: false, logLevel: 'warn' }

function dependenciesOfCommand(): object {
  const manifest = readFileSync(join(folderOf('cli'), 'package.json'), 'utf8')
  return JSON.parse(manifest).dependencies
}

type ChunkOf = (id: string) => string | null

/** Chunks can be named once all modules are known. */
function seenModules(): { modules: Imports; plugin: Plugin; chunkOf: ChunkOf } {
  const modules = new Map<string, readonly string[]>()
  let chunkOf: ChunkOf = () => null
  return {
    modules,
    plugin: {
      name: 'seen modules',
      moduleParsed: ({ id, importedIds }) => void modules.set(id, importedIds),
      // Before the bundler takes the line breaks away.
      renderChunk: (code) => withPlainBuiltins(withCompiledNames(code)),
      buildEnd() {
        chunkOf = chunkNames(root, startedFiles, modules)
      },
    },
    chunkOf: (id) => chunkOf(id),
  }
}

function outputInChunks(chunkOf: ChunkOf): Rolldown.OutputOptions {
  return {
    entryFileNames: '[name].js',
    // V8 keeps the text of every file that it has loaded. Names stay, for stack traces.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'few files', name: chunkOf }],
    },
  }
}

function filesOf(output: Rolldown.RolldownOutput['output']): Files {
  return Object.fromEntries(
    output.map((file) => [
      file.fileName,
      file.type === 'chunk' ? inAscii(file.code) : String(file.source),
    ]),
  )
}

/** One other character doubles the memory of a text in V8. Without comments there are some in literals alone. */
function inAscii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
