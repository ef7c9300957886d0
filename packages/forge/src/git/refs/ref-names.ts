/** The refs that a repository has: those that clients see, and those that keep commits. */

import { type CommitHash, parseRefName, type RefName } from '@latchkey/protocol'

/** The same as `transfer.hideRefs` leaves open. */
export const shownFolders = ['refs/heads/', 'refs/tags/', 'refs/pr/'] as const

/** Whether clients of git see it. Other refs are in the directory alone. */
export function isShownRef(name: RefName): boolean {
  return shownFolders.some((folder) => name.startsWith(folder))
}

/** Git never collects objects that are named here, and no client sees or writes the names. */
const keepFolder = 'refs/latchkey/keep/'

export function keepRef(commit: CommitHash): RefName {
  return refArgument((keepFolder + commit) as RefName)
}

/** Has an entry for every pull request that there ever was, so that no number comes twice. */
export const recordFolder = 'refs/latchkey/pr/'

export function recordRef(number: number): RefName {
  return refArgument(`${recordFolder}${number}` as RefName)
}

/** Security boundary: whatever the types say, nothing but the name of such a ref reaches git where a ref is meant. */
export function refArgument(name: RefName): RefName {
  const folders = [...shownFolders, keepFolder, recordFolder]
  const isKnown = folders.some((folder) => name.startsWith(folder))
  if (!isKnown || parseRefName(name) !== name) throw new TypeError('no ref of a repository')
  return name
}
