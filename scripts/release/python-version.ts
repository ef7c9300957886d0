/** The version of the package for Python, which is released with the others. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Version } from './version.ts'

export const pyproject = 'clients/python/pyproject.toml'

const line = /^version = "(?<version>[^"]*)"$/m

/** Undefined where there is no such package. */
export function pythonVersion(root: string): string | undefined {
  const file = join(root, pyproject)
  if (!existsSync(file)) return undefined
  return line.exec(readFileSync(file, 'utf8'))?.groups?.['version'] ?? 'no version'
}

export function writePythonVersion(root: string, version: Version): void {
  const file = join(root, pyproject)
  writeFileSync(file, readFileSync(file, 'utf8').replace(line, `version = "${version}"`))
}
