/** A project's program in one of the forms, below a folder of that form's name. */

import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, transformWithOxc } from 'vite'
import { root } from '../packages/packages.ts'
import { tscEnvironment } from '../tools/tsc-environment.ts'
import type { Form } from './cells.ts'
import { run } from './run.ts'

export const folderOfForm: Readonly<Record<Form, string>> = {
  JavaScript: 'javascript',
  'TypeScript nodenext': 'nodenext',
  'TypeScript bundler': 'bundler',
}

export const resolutions = {
  'TypeScript nodenext': { module: 'nodenext', moduleResolution: 'nodenext' },
  'TypeScript bundler': { module: 'preserve', moduleResolution: 'bundler' },
} as const

/** Leaves `main.js` in the folder of the form. */
export async function writeForm(project: string, form: Form): Promise<void> {
  const folder = folderOfForm[form]
  if (form === 'JavaScript') return takeTypesAway(project, folder)
  if (form === 'TypeScript nodenext') {
    return compile(project, form, ['--rootDir', 'src', '--outDir', folder])
  }
  await compile(project, form, ['--noEmit'])
  // What a page imports is right without the types of Node, too.
  const page = 'tsconfig.page.json'
  if (existsSync(join(project, page))) await compile(project, form, ['-p', page, '--noEmit'])
  await bundleProgram(project, folder)
}

/** As somebody who writes JavaScript has written it. */
export async function takeTypesAway(project: string, folder: string): Promise<void> {
  for (const file of globSync('**/*.ts', { cwd: join(project, 'src') })) {
    const target = join(project, folder, file.replace(/\.ts$/, '.js'))
    const { code } = await transformWithOxc(readFileSync(join(project, 'src', file), 'utf8'), file)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, code)
  }
}

/** Declarations are checked as well: ours must be right in every project. */
export async function compile(
  project: string,
  form: keyof typeof resolutions,
  words: readonly string[],
): Promise<void> {
  const { module, moduleResolution } = resolutions[form]
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--module', module, '--moduleResolution', moduleResolution]
  const all = [tsc, ...words, ...options, '--skipLibCheck', 'false', '--singleThreaded']
  await run(process.execPath, all, { cwd: project, env: tscEnvironment })
}

/** One file with all that it imports, but for a package that has native code and a thread. */
async function bundleProgram(project: string, outDir: string): Promise<void> {
  await build({
    root: project,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: ['@latchkey/xet'] },
    build: { ssr: 'src/main.ts', outDir, target: 'es2022' },
  })
}
