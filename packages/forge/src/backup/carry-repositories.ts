/** The git repositories of a hub, carried from one folder to another. */

import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { idPattern } from '@latchkey/protocol'
import { codeOf, copyFile, linkOrCopy, makeFolder, refuseOdd } from '@latchkey/service/backup'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import { CannotStart } from '@latchkey/service/machine/errors'
import { syncPath } from '@latchkey/service/machine/files'
import { quoteGiven } from '@latchkey/service/text'
import { repositoriesFolder } from '../git/folders.ts'

export interface CarriedRepositories {
  readonly count: number
  readonly bytes: number
  /** The uids of those that went meanwhile: the copied directory still has them. */
  readonly gone: readonly string[]
}

interface RepositoryCarriage {
  /** Data directories, or a backup: repositories lie in a folder of the same name. */
  readonly from: string
  readonly to: string
  /** Undefined for all that are there. */
  readonly uids: ReadonlySet<string> | undefined
  /** For objects, which never change. */
  carry(from: string, to: string): void
  /** For refs and settings, which do. */
  copy(from: string, to: string): void
}

/**
 * As git writes it for a new bare repository. Security boundary: settings of a repository name programs that git runs and
 * files that it includes, so those of a backup are never used.
 */
const gitConfig = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n'

/** Whether a forge has run on the data directory. */
export function hasRepositories(data: string): boolean {
  return existsSync(repositoriesFolder(data))
}

/**
 * To be called when the directory has been copied: what it names was in git before. A second attempt begins anew, so that
 * refs are not older than the directory. Without uids, all repositories are copied.
 */
export function backUpRepositories(
  data: string,
  folder: string,
  uids: ReadonlySet<string> | undefined,
): Promise<CarriedRepositories> {
  rmSync(repositoriesFolder(folder), { recursive: true, force: true })
  return carryRepositories({ from: data, to: folder, uids, carry: linkOrCopy, copy: copyFile })
}

/** To be called before a hub can start on the data directory: its forge sets refs to what the directory has. */
export function restoreRepositories(folder: string, data: string): Promise<CarriedRepositories> {
  const uids = undefined
  return carryRepositories({ from: folder, to: data, uids, carry: copyFile, copy: copyFile })
}

/**
 * Refs go before objects, so that every ref has its object. Refs that are newer than the directory are set back to it by
 * the forge.
 */
async function carryRepositories(carrying: RepositoryCarriage): Promise<CarriedRepositories> {
  const { from, to, uids } = carrying
  const [source, target] = [repositoriesFolder(from), repositoriesFolder(to)]
  const names = foldersIn(source).filter((name) => uids?.has(uidIn(name)) ?? true)
  const gone: string[] = []
  let [count, bytes] = [0, 0]
  for (const name of names) {
    const carried = await carryOne(carrying, join(source, name), join(target, name))
    if (carried === undefined) {
      rmSync(join(target, name), { recursive: true, force: true })
      gone.push(uidIn(name))
      continue
    }
    count += 1
    bytes += carried
  }
  if (count > 0) for (const folder of [target, to]) syncPath(folder)
  return { count, bytes, gone }
}

function uidIn(name: string): string {
  return name.slice(0, -'.git'.length)
}

function foldersIn(source: string): readonly string[] {
  if (!existsSync(source)) return []
  const entries = readdirSync(source, { withFileTypes: true })
  const named = entries.filter(({ name }) => name.endsWith('.git') && idPattern.test(uidIn(name)))
  // A link that somebody has put there could lead to any folder of this user.
  for (const entry of named) if (!entry.isDirectory()) refuseOdd(join(source, entry.name))
  return named.map(({ name }) => name)
}

/** Maintenance of git may put objects into a pack while they are listed. */
const maxTries = 3

/** The bytes of its objects; undefined when the repository went meanwhile. */
async function carryOne(
  { carry, copy }: RepositoryCarriage,
  source: string,
  target: string,
): Promise<number | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      const folders = new Set<string>()
      const put = (file: string, how: RepositoryCarriage['carry']) => {
        const place = join(target, relative(source, file))
        for (let folder = dirname(place); !folders.has(folder); folder = dirname(folder)) {
          folders.add(folder)
          if (folder === target) break
        }
        makeFolder(dirname(place))
        if (!existsSync(place)) how(file, place)
        return place
      }
      for (const file of changingFiles(source)) put(file, copy)
      makeFolder(join(target, 'refs'))
      writeConfig(join(target, 'config'))
      let bytes = 0
      for (const [at, file] of objectFiles(source).entries()) {
        bytes += statSync(put(file, carry)).size
        await yieldInLoop(at, 100)
      }
      for (const folder of folders) syncPath(folder)
      return bytes
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      if (!existsSync(source)) return undefined
      if (tries === maxTries) throw error
    }
  }
}

function writeConfig(file: string): void {
  writeFileSync(file, gitConfig, { mode: 0o600 })
  syncPath(file)
}

/**
 * Files that git writes next to a file before it replaces it, and leftovers of a killed process.
 */
const isDraft = /^(?:tmp_|incoming-)|\.lock$|\.new$/

function changingFiles(source: string): readonly string[] {
  const top = ['HEAD', 'packed-refs'].map((name) => join(source, name))
  return [...top.filter((file) => existsSync(file)), ...filesBelow(join(source, 'refs'))]
}

/** Objects and packs. Git makes everything else below this folder from them, or does without it. */
const isContent = /^(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40}\.(?:pack|idx))$/

/** They tell git to read objects of other folders, or from other servers. */
const alternates = ['info/alternates', 'info/http-alternates']

/** A pack gets its index last, so an index that is listed has its pack. */
function objectFiles(source: string): readonly string[] {
  const folder = join(source, 'objects')
  const listed = filesBelow(folder)
  for (const name of alternates) if (listed.includes(join(folder, name))) refuseAlternates(folder)
  const content = listed.filter((file) => isContent.test(relative(folder, file)))
  const packs = content
    .filter((file) => file.endsWith('.idx'))
    .map((file) => `${file.slice(0, -3)}pack`)
  return [...new Set([...packs, ...content])]
}

function refuseAlternates(folder: string): never {
  throw new CannotStart(
    `${quoteGiven(folder)} names other folders that git would read objects from (info/alternates or info/http-alternates), and a forge has none; run git repack -a -d in that repository and delete the file, or restore another backup`,
  )
}

function filesBelow(folder: string): readonly string[] {
  // A link could lead to any folder of this user.
  if (!lstatSync(folder).isDirectory()) refuseOdd(folder)
  const entries: Dirent[] = readdirSync(folder, { withFileTypes: true })
  return entries
    .filter(({ name }) => !isDraft.test(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesBelow(path)
      if (!entry.isFile()) refuseOdd(path)
      return [path]
    })
}
