/** The packages that npm gets, each after those that it needs. */

import { resolve } from 'node:path'

export const root: string = resolve(import.meta.dirname, '../..')

export const libraries = [
  'protocol',
  'token',
  'service',
  'client',
  'admin-client',
  'xet',
  'gate',
  'gateway',
  'conform',
] as const

/** The command is bundled, with the private packages; the libraries are compiled file by file; the vectors are data. */
export const packages = [...libraries, 'vectors', 'cli'] as const

/** The site does not describe `service`, which changes with our programs, nor `conform`, which is a command. */
export const described: readonly string[] = libraries.filter(
  (name) => name !== 'service' && name !== 'conform',
)

export function folderOf(name: string): string {
  return name === 'vectors' ? resolve(root, name) : resolve(root, 'packages', name)
}
