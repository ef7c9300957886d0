/** Paths that are one path to a file system which ignores case or the form of accents. */

import { asMacReads } from '@latchkey/protocol'

/**
 * Groups of files and folders with the same folded name, each group and each path once. Twins are allowed, as git and
 * other hubs allow them: a checkout on macOS or Windows keeps one of them and says so. Refused is only a twin of a
 * symbolic link (`linkTwins`).
 */
export function findTwins(paths: Iterable<string>): readonly (readonly string[])[] {
  const byFold = new Map<string, Set<string>>()
  for (const path of withFolders(paths)) {
    const fold = foldedPath(path)
    byFold.set(fold, (byFold.get(fold) ?? new Set()).add(path))
  }
  return [...byFold.values()].filter(({ size }) => size > 1).map((group) => [...group])
}

/** Twins of which one is a link: files of a folder would be written through the link, out of the checkout. */
export function linkTwins(
  paths: Iterable<string>,
  links: ReadonlySet<string>,
): readonly (readonly string[])[] {
  return findTwins(paths).filter((group) => group.some((path) => links.has(path)))
}

/** Wider than any one file system folds, so that no twin is missed. */
export function foldedPath(path: string): string {
  return asMacReads(path).normalize('NFD').toLowerCase().toUpperCase().normalize('NFC')
}

function withFolders(paths: Iterable<string>): Set<string> {
  const all = new Set<string>()
  for (const path of paths) {
    all.add(path)
    // A folder that was seen has its own folders in the set already.
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (all.has(folder)) break
      all.add(folder)
    }
  }
  return all
}
