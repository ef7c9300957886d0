/** Makes the files of a version again from its tag, and compares. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeArtifacts, spoiledFiles, sumsFile } from './artifacts.ts'
import { inClone } from './clone.ts'
import { hasTag } from './git.ts'
import type { Refused } from './plan.ts'
import type { Version } from './version.ts'

/** `folder` has the sums of the release. */
export function verify(root: string, folder: string, version: Version): Refused | undefined {
  if (!hasTag(root, version))
    return { refusal: `There is no tag v${version}. Run: git fetch --tags` }
  const sums = readSums(folder)
  if (sums === undefined)
    return { refusal: `There is no ${sumsFile} in ${folder}. Copy that of the release there.` }
  const differing = inClone(root, `v${version}`, (clone, into) => {
    makeArtifacts(clone, version, into)
    const made = readdirSync(into).filter((file) => file !== sumsFile)
    return spoiledFiles(into, sums, made)
  })
  if (differing.length > 0) {
    return {
      refusal: `Made again from v${version}, these differ: ${differing.join(', ')}. Compare with the Node and npm of the release.`,
    }
  }
  console.log(`Made again from v${version}, every file is the same:\n${sums.trimEnd()}`)
  return undefined
}

function readSums(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, sumsFile), 'utf8')
  } catch {
    return undefined
  }
}
