/** A program of a test in one file: Node loads it in a third of the time of its sources. */

import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import { compileCache } from './latchkey-bin.ts'

/** The same place in every run, so that what Node has compiled is found again. */
const folder = resolve(compileCache, '../latchkey-programs')

/** No text that could be put into a bundle. */
const native = /^(?:lz4-napi|@napi-rs\/blake-hash)$/

/** They are loaded from where the packages have them. */
const nativeOutside: Plugin = {
  name: 'native modules stay outside',
  enforce: 'pre',
  async resolveId(name, importer) {
    if (!native.test(name)) return null
    const found = await this.resolve(name, importer, { skipSelf: true })
    return found && { id: pathToFileURL(found.id).href, external: true }
  },
}

/** For programs that a test starts many times. */
export async function bundledProgram(source: URL): Promise<string> {
  const { build, defaultServerConditions } = await import('vite')
  const file = fileURLToPath(source)
  const bundled = await build({
    ...{ configFile: false, publicDir: false, logLevel: 'warn', plugins: [nativeOutside] },
    ssr: {
      noExternal: true,
      resolve: { conditions: ['@latchkey/source', ...defaultServerConditions] },
    },
    build: {
      ...{ ssr: file, write: false, target: 'esnext' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  if (!('output' in bundled)) throw new Error(`vite has made nothing of ${file}`)
  const place = join(folder, basename(file).replace(/\.ts$/, '.mjs'))
  mkdirSync(folder, { recursive: true })
  // Another run may be starting it.
  writeFileSync(`${place}.${process.pid}`, bundled.output[0].code)
  renameSync(`${place}.${process.pid}`, place)
  return place
}
