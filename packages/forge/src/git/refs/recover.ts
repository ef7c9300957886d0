/** Brings the refs to what the directory says, after a kill or a failure; done again, it changes nothing. */

import type { Dirent } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommitHash, noCommit, type RefName } from '@latchkey/protocol'
import type { GitTools } from '../objects/git-tools.ts'
import type { ObjectHash } from '../objects/object-hash.ts'
import type { GitCommands } from '../process/git-commands.ts'
import { GitFailed } from '../process/git-errors.ts'
import { keeping } from './keep-commits.ts'
import { listTargets, type RefTarget } from './list-refs.ts'
import { prepareRefs } from './prepare-refs.ts'
import type { RefChange } from './ref-change.ts'

/** A commit writes its objects while others change refs. No command that writes them takes this long. */
const oldMs = 2 * 3_600_000

/** Only while no other process changes refs of the repository. Gives the names of the files that it has removed. */
async function removeLeftovers(repository: string): Promise<readonly string[]> {
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

export interface RecoveredRef {
  readonly changed: readonly RefChange[]
  /** The directory has commits for them that the repository does not have, so git has no such ref. */
  readonly missing: readonly RefName[]
  /** Files of processes that were killed. */
  readonly removedFiles: readonly string[]
}

/** Only while no other process changes the repository. Refs that keep commits stay. */
export async function recover(
  { commands, objects }: GitTools,
  expected: ReadonlyMap<RefName, CommitHash | ObjectHash>,
): Promise<RecoveredRef> {
  const removedFiles = await removeLeftovers(commands.folder)
  const refs = await listTargets(commands)
  const names = [...expected.keys()]
  const infos = await objects.infoOf([...expected.values()])
  const missing = new Set(names.filter((_, at) => infos[at] === undefined))
  const deleted = [...refs]
    .filter(([ref, target]) => {
      const object = expected.get(ref)
      return object === undefined || (missing.has(ref) && !isAt(target, object))
    })
    .map(([ref, { object }]): RefChange => ({ ref, old: object, new: noCommit }))
  const moved = [...expected]
    .filter(([ref, object]) => !isAt(refs.get(ref), object) && !missing.has(ref))
    .map(
      ([ref, object]): RefChange => ({ ref, old: refs.get(ref)?.object ?? noCommit, new: object }),
    )
  const left = [...deleted, ...moved].map(({ ref }) => refs.get(ref)?.peeled)
  await change(commands, await keeping(objects, left))
  // A name may have to go before another that begins with it can come.
  for (const changes of [deleted, moved]) await change(commands, changes)
  return { changed: [...deleted, ...moved], missing: [...missing], removedFiles }
}

/** The directory knows the commit of a tag, and git may have a tag object in between. */
function isAt(target: RefTarget | undefined, object: string): boolean {
  return target?.object === object || target?.peeled === object
}

async function change(commands: GitCommands, changes: readonly RefChange[]): Promise<void> {
  if (changes.length === 0) return
  const prepared = await prepareRefs(commands, changes)
  if (!prepared.ok) throw new GitFailed('exit', `cannot recover refs: ${prepared.conflict}`)
  await prepared.commit()
}
