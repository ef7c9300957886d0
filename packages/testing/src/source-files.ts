/** The source files of all packages but this one, for tests that read code instead of running it. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const packages = join(import.meta.dirname, '../..')

/** Such as `hub/src/index.ts`. */
export const sources = globSync('*/src/**/*.ts', { cwd: packages, exclude: ['testing/**'] }).sort()

export function filesWith(pattern: RegExp): string[] {
  return sources.filter((file) => pattern.test(codeOf(file)))
}

/** Without comments, which may speak of anything. */
export function codeOf(file: string): string {
  const text = readFileSync(join(packages, file), 'utf8')
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}
