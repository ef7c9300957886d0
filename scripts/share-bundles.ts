/** Gives tests the bundles that pages load, each made once for a run, and kept for the next: the first process that asks makes it, and the others wait. */

import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Where the processes of a run leave their bundles. */
const variable = 'TEST_RUN_BUNDLES'

type Name = 'client' | 'files'

/** For `globalSetup` of vitest. */
export default function setUp(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bundles-'))
  process.env[variable] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

export async function sharedBundle(name: Name): Promise<string> {
  const folder = process.env[variable]
  if (folder === undefined) return make(name)
  const [file, claim] = [join(folder, `${name}.js`), join(folder, `${name}.claim`)]
  while (!claims(claim)) {
    if (existsSync(file)) return readFileSync(file, 'utf8')
    await setTimeout(100)
  }
  try {
    const text = await make(name)
    writeFileSync(`${file}.draft`, text)
    renameSync(`${file}.draft`, file)
    return text
  } catch (error) {
    rmdirSync(claim)
    throw error
  }
}

/** Writes a program for runtimes that read no TypeScript, with the bundle that it imports beside it; gives its file. */
export async function programBesideBundle(
  source: string,
  { imports, name, folder }: { imports: string; name: Name; folder: string },
): Promise<string> {
  const file = join(folder, 'program.mjs')
  const text = stripTypeScriptTypes(readFileSync(source, 'utf8'))
  writeFileSync(file, text.replace(`'${imports}'`, "'./bundle.mjs'"))
  writeFileSync(join(folder, 'bundle.mjs'), await sharedBundle(name))
  return file
}

/** True for one process alone. */
function claims(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** Below node_modules, so that `npm ci` clears it. */
const root = resolve(import.meta.dirname, '..')
const keptFolder = join(root, 'node_modules/.cache/latchkey-bundles')

/** Of the sources that there are now. */
async function make(name: Name): Promise<string> {
  const [sources, file] = [hashOfSources(), join(keptFolder, `${name}.json`)]
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  if (kept.sources === sources) return kept.text
  const text = await makeAnew(name)
  mkdirSync(keptFolder, { recursive: true })
  // Another run may be reading it.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ sources, text }))
  renameSync(`${file}.${process.pid}`, file)
  return text
}

/** All that a bundle could be made of, and what makes it. */
function hashOfSources(): string {
  const files = globSync(
    ['packages/*/{package.json,src/**/*}', 'scripts/bundle-client.ts', 'package-lock.json'],
    { cwd: root, withFileTypes: true },
  )
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const hash = createHash('sha256')
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(file)).update('\n')
  return hash.digest('hex')
}

/** Loads the bundler only where it is needed. */
async function makeAnew(name: Name): Promise<string> {
  const { bundle, clientEntry, filesEntry } = await import('./bundle-client.ts')
  return bundle({ client: clientEntry, files: filesEntry }[name])
}
