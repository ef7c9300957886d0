/** Removes what git leaves behind when it is killed or the power fails: locks, empty refs, objects that are not whole. */

import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Only while no other process changes the repository. Gives the names of the files that it has removed. */
export async function removeLeftovers(repository: string): Promise<readonly string[]> {
  const [top, refs, objects] = await Promise.all([
    filesIn(repository, { recursive: false }),
    filesIn(join(repository, 'refs'), { recursive: true }),
    filesIn(join(repository, 'objects'), { recursive: true }),
  ])
  const locks = [...top, ...refs].filter(isLock)
  const halves = objects.filter((file) => /\/(?:tmp_|incoming-)[^/]*$/.test(file))
  const empty = await emptyOf(refs.filter((file) => !isLock(file)))
  const left = [...locks, ...halves, ...empty]
  for (const file of left) await rm(file, { force: true })
  return left
}

async function filesIn(
  folder: string,
  how: { readonly recursive: boolean },
): Promise<readonly string[]> {
  const entries = await readdir(folder, { ...how, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

/** No ref can be called so. */
function isLock(file: string): boolean {
  return /(?:\.lock|packed-refs\.new)$/.test(file)
}

/** git takes such a ref for broken and changes it no more. */
async function emptyOf(refs: readonly string[]): Promise<readonly string[]> {
  const empty: string[] = []
  for (const file of refs) if ((await stat(file)).size === 0) empty.push(file)
  return empty
}
