/** A program of a test in one file: Node loads it in a third of the time of its sources. */

import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { compileCache } from './latchkey-bin.ts'

/** The same place in every run, so that what Node has compiled is found again. */
const folder = resolve(compileCache, '../latchkey-programs')

/** For programs that a test starts many times. */
export async function bundledProgram(source: URL): Promise<string> {
  const file = fileURLToPath(source)
  const place = join(folder, basename(file).replace(/\.ts$/, '.mjs'))
  if (isMadeOfTheseSources(place)) return place
  const { code, modules } = await bundle(file)
  mkdirSync(folder, { recursive: true })
  rmSync(recordOf(place), { force: true })
  put(place, code)
  put(recordOf(place), JSON.stringify({ modules, digest: digestOf(modules) }))
  return place
}

async function bundle(file: string) {
  const { build, defaultServerConditions } = await import('vite')
  // All that were read, also those of which nothing is left; without those that the bundler itself has added.
  const modules: string[] = []
  const seen: Plugin = {
    name: 'seen modules',
    generateBundle() {
      modules.push(...Array.from(this.getModuleIds()).filter((id) => isAbsolute(id)))
    },
  }
  const bundled = await build({
    plugins: [seen],
    ...{ configFile: false, publicDir: false, logLevel: 'warn' },
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
  return { code: bundled.output[0].code, modules }
}

function recordOf(place: string): string {
  return `${place}.json`
}

/** Bundling takes as long as ten starts of the program. */
function isMadeOfTheseSources(place: string): boolean {
  if (!existsSync(recordOf(place))) return false
  const { modules, digest } = JSON.parse(readFileSync(recordOf(place), 'utf8'))
  return modules.every(existsSync) && digestOf(modules) === digest && existsSync(place)
}

function digestOf(modules: readonly string[]): string {
  return hash('sha256', modules.map((module) => hash('sha256', readFileSync(module))).join())
}

/** Another run may be reading it. */
function put(place: string, text: string): void {
  writeFileSync(`${place}.${process.pid}`, text)
  renameSync(`${place}.${process.pid}`, place)
}
