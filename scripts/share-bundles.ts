/** Gives tests the bundles that pages load, each made once for a run: the first process that asks makes it, and the others wait. */

import {
  existsSync,
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
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Where the processes of a run leave their bundles. */
const variable = 'TEST_RUN_BUNDLES'

type Name = 'client' | 'files' | 'gate'

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

/** Loads the bundler only where it is needed. */
async function make(name: Name): Promise<string> {
  const { bundle, clientEntry, filesEntry, gateEntry } = await import('./bundle-client.ts')
  return bundle({ client: clientEntry, files: filesEntry, gate: gateEntry }[name])
}
