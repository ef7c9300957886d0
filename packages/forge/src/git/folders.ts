/** Where repositories lie, and how one appears or goes whole. */

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { asRepositoryUid, idPattern, type RepositoryUid } from '@latchkey/protocol'
import { syncToDisk } from '@latchkey/service/machine/files'

/** A repository that is not whole yet, or that is being removed. */
const unfinished = '.part'

/** Where the repositories of a hub lie, below its data directory; in a backup, too. */
export function repositoriesFolder(data: string): string {
  return join(data, 'repositories')
}

/** Security boundary: a path is made of an id that a hub has made, and of nothing else. */
export function repositoryFolder(root: string, uid: RepositoryUid): string {
  if (!idPattern.test(uid)) throw new TypeError('a repository is named by its uid')
  return join(root, `${uid}.git`)
}

/** For a moment. The next start removes it where a killed process has left it. */
export function passingFolder(root: string): string {
  return join(root, `${randomUUID()}${unfinished}`)
}

export async function uidsIn(root: string): Promise<readonly RepositoryUid[]> {
  const names = (await readdir(root)).filter((name) => name.endsWith('.git'))
  const uids = names.map((name) => name.slice(0, -'.git'.length))
  return uids.filter((uid) => idPattern.test(uid)).map((uid) => asRepositoryUid(uid))
}

export function isThere(folder: string): boolean {
  return existsSync(join(folder, 'HEAD'))
}

/** Makes the folder of all repositories. */
export async function prepareRoot(root: string): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  return realpath(root)
}

/**
 * Removes leftovers of a killed process. Call it only if no other process creates or removes
 * repositories.
 */
export async function removeUnfinished(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.endsWith(unfinished)) await rm(join(root, name), { recursive: true, force: true })
  }
}

/** Named only when `fill` is done. */
export async function makeWhole(
  folder: string,
  fill: (unnamed: string) => Promise<void>,
): Promise<void> {
  const unnamed = folder + unfinished
  await rm(unnamed, { recursive: true, force: true })
  await mkdir(unnamed, { mode: 0o700 })
  await fill(unnamed)
  for (const name of await readdir(unnamed, { recursive: true }))
    await syncToDisk(join(unnamed, name))
  await syncToDisk(unnamed)
  await rename(unnamed, folder)
  await syncToDisk(dirname(folder))
}

/** Gone at once, however long its files take. */
export async function removeWhole(folder: string): Promise<void> {
  if (!existsSync(folder)) return
  const unnamed = folder + unfinished
  await rm(unnamed, { recursive: true, force: true })
  await rename(folder, unnamed)
  await syncToDisk(dirname(folder))
  await rm(unnamed, { recursive: true, force: true })
}
