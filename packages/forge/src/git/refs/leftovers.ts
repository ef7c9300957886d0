/** Removes what git leaves behind when it is killed or the power fails: locks, empty refs, objects that are not whole. */

import type { Dirent } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A commit writes its objects while others change refs. No command that writes them takes this long. */
const oldMs = 2 * 3_600_000

/** Only while no other process changes refs of the repository. Gives the names of the files that it has removed. */
export async function removeLeftovers(repository: string): Promise<readonly string[]> {
  const [top, refs, objects] = await Promise.all([
    entriesIn(repository, { recursive: false }),
    entriesIn(join(repository, 'refs'), { recursive: true }),
    entriesIn(join(repository, 'objects'), { recursive: true }),
  ])
  const locks = [...top, ...refs].filter(isLock)
  const packing = top.filter(({ name }) => name === 'packed-refs.new')
  const halves = await oldOf(objects.filter(({ name }) => /^(?:tmp_|incoming-)/.test(name)))
  const empty = await emptyOf(refs.filter((entry) => !isLock(entry)))
  const left = [...locks, ...packing, ...halves, ...empty].map(pathOf)
  for (const path of left) await rm(path, { recursive: true, force: true })
  return left
}

function entriesIn(folder: string, how: { readonly recursive: boolean }): Promise<Dirent[]> {
  return readdir(folder, { ...how, withFileTypes: true })
}

function pathOf({ parentPath, name }: Dirent): string {
  return join(parentPath, name)
}

/** No ref can be called so. */
function isLock({ name }: Dirent): boolean {
  return name.endsWith('.lock')
}

/** git takes such a ref for broken and changes it no more. */
async function emptyOf(refs: readonly Dirent[]): Promise<readonly Dirent[]> {
  const empty: Dirent[] = []
  for (const entry of refs) {
    if (entry.isFile() && (await stat(pathOf(entry))).size === 0) empty.push(entry)
  }
  return empty
}

async function oldOf(entries: readonly Dirent[]): Promise<readonly Dirent[]> {
  const old: Dirent[] = []
  for (const entry of entries) {
    // It has its last name by now.
    const found = await stat(pathOf(entry)).catch(() => undefined)
    if (found !== undefined && found.mtimeMs < Date.now() - oldMs) old.push(entry)
  }
  return old
}
