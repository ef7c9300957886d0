/** Which files of a manifest somebody means: all, or those with a name, and those in a folder with it. */

import { quoteGiven } from '@latchkey/service/text/escape'
import { refused } from '../output/stop.ts'
import type { Manifest, ManifestFile } from './manifest.ts'

export function chooseFiles(
  { files }: Manifest,
  names: readonly string[],
  manifestName: string,
): readonly ManifestFile[] {
  if (names.length === 0) return files
  const chosen = new Set<ManifestFile>()
  for (const name of names) {
    const meant = files.filter((file) => isMeant(file, name))
    if (meant.length === 0) throw notThere(name, manifestName, files)
    for (const file of meant) chosen.add(file)
  }
  return files.filter((file) => chosen.has(file))
}

/** As a shell completes it, a folder ends with a slash. */
function isMeant({ path }: ManifestFile, name: string): boolean {
  return path === name || path.startsWith(name.endsWith('/') ? name : `${name}/`)
}

function notThere(name: string, manifestName: string, files: readonly ManifestFile[]) {
  const first = files[0] === undefined ? '' : `, such as ${quoteGiven(files[0].path)}`
  return refused(
    `${quoteGiven(name)} is not in the manifest ${quoteGiven(manifestName)}, which has ${files.length === 1 ? '1 file' : `${files.length} files`}${first}; leave the name out to download all of them`,
  )
}
