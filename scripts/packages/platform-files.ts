/** The files that stand behind an import such as `#blob-reader`, which a package.json names for each platform. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf } from './packages.ts'

/** Below the folder of the package, in `src` or in `dist`. */
export function platformFiles(
  name: string,
  target: string,
  below: 'src' | 'dist',
): readonly string[] {
  const { imports = {} } = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))
  const files = Object.entries(imports).flatMap(([pattern, conditions]) => {
    const [before = '', after] = pattern.split('*')
    const isMeant = after === undefined ? target === pattern : target.startsWith(before)
    if (!isMeant) return []
    return stringsIn(conditions).map((file) => file.replace('*', target.slice(before.length)))
  })
  return [...new Set(files)].filter((file) => file.startsWith(`./${below}/`))
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
