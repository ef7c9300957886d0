/** Compiles the packages as npm gets them: libraries file by file, the command into one folder, the gate also into one file. */

import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeGateBundle } from './bundle-client.ts'
import { bundleCommandFiles, type Files } from './bundle-files.ts'
import { folderOf, libraries, root } from './packages/packages.ts'
import { withCompiledNames } from './packages/started-files.ts'
import { tscEnvironment } from './tools/tsc-environment.ts'

/** A run of tests gives the command that it has bundled already. */
export async function build(command?: Files): Promise<void> {
  buildLibraries()
  await writeGateBundle()
  writeCommand(command ?? (await bundleCommandFiles()).files)
}

export function buildLibraries(): void {
  for (const name of libraries) compile(name)
}

/** It reads the declarations of the packages that it needs, so those are compiled first. */
function compile(name: string): void {
  const dist = join(folderOf(name), 'dist')
  rmSync(dist, { recursive: true, force: true })
  const config = join(folderOf(name), 'tsconfig.build.json')
  const words = ['-p', config, '--singleThreaded']
  const env = { ...process.env, ...tscEnvironment }
  const { status } = spawnSync('tsc', words, { cwd: root, stdio: 'inherit', env })
  if (status !== 0) throw new Error(`${name} does not compile`)
  for (const file of globSync('**/*.js', { cwd: dist })) rewrite(join(dist, file), namingStarted)
  for (const file of globSync('**/*.d.ts', { cwd: dist })) rewrite(join(dist, file), namingCompiled)
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

function namingStarted(code: string): string {
  const text = withCompiledNames(code)
  const [forgotten] = /new URL\('[^']*\.ts'/.exec(text) ?? []
  if (forgotten !== undefined)
    throw new Error(
      `${forgotten} is started, so scripts/packages/started-files.ts needs a row for it`,
    )
  return text
}

/** tsc leaves `.ts` in declarations, which some tools cannot follow. */
function namingCompiled(declarations: string): string {
  return declarations.replace(/((?:from |import ?\(?)["']\.[^"']*)\.ts(?=["'])/g, '$1.js')
}

function writeCommand(files: Files): void {
  const folder = join(folderOf('cli'), 'dist/command')
  rmSync(folder, { recursive: true, force: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const words = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
  const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' })
  // `latchkey version` prints it.
  if (status === 0) writeFileSync(join(folder, 'commit.txt'), stdout)
}

if (import.meta.main) await build()
