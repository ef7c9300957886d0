/** Keeps the objects of one push apart from those of the repository until all of them were checked. */

import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommitHash } from '@latchkey/protocol'
import { syncToDisk } from '@latchkey/service/machine/files'
import type { GitTools } from '../objects/git-tools.ts'
import { hashArgument, type ObjectHash } from '../objects/object-hash.ts'
import {
  type Answer,
  type ObjectInfo,
  objectReader,
  type Question,
  readerArgs,
} from '../objects/object-reader.ts'
import { packFolder } from '../objects/written-folders.ts'
import type { CallOptions } from '../process/git-commands.ts'
import { linesOf } from '../process/lines.ts'
import { type IndexBounds, indexPack } from './index-pack.ts'

export interface ReceiveTools extends GitTools {
  /** A name for a folder that the next start removes. */
  newFolder(): string
}

/** An object that a history has, and the first path at which it was found. */
export interface LinkedObject {
  readonly hash: ObjectHash
  /** In bytes of a character each. Undefined for a commit. */
  readonly path: string | undefined
}

export interface Quarantine {
  /** The objects that came, in the order of their hashes. */
  objects(): AsyncGenerator<ObjectInfo>
  /** Beside them those of the repository. */
  infoOf(hashes: readonly ObjectHash[]): Promise<readonly (ObjectInfo | undefined)[]>
  /** The objects and commits to which refs of a push will point, in order. */
  endsOf(tips: readonly ObjectHash[]): Promise<readonly TipEnd[]>
  /** Reads objects of both. */
  read(hashes: readonly ObjectHash[]): Promise<readonly (Answer | undefined)[]>
  /** Objects that these lead to and the others do not. Throws `GitFailed` where one is missing. */
  linked(
    tips: readonly ObjectHash[],
    others: Iterable<ObjectHash>,
  ): AsyncGenerator<LinkedObject, void, undefined>
  /** Objects of the folders of a commit that those of another do not have. */
  between(before: CommitHash, commit: CommitHash): AsyncGenerator<LinkedObject, void, undefined>
  isAncestor(old: CommitHash, of: CommitHash): Promise<boolean>
  /** Gives the objects to the repository. They are on the disk when the promise settles. */
  keep(): Promise<void>
  /** Also after `keep`. */
  remove(): Promise<void>
}

export interface TipEnd {
  readonly kind: ObjectInfo['kind'] | undefined
  /** The commit that it is or leads to. */
  readonly commit: CommitHash | undefined
}

export type ReceivedPack = Quarantine | { readonly fault: string }

/** The walk through the objects of a push takes no longer. */
const walkCpuSeconds = 60
const walkDeadlineMs = 600_000
/** Each group takes a process. */
const questionsAtOnce = 5000
const maxWalkBytes = 4 * 1024 ** 3

export async function receivePack(
  tools: ReceiveTools,
  pack: AsyncIterable<Uint8Array>,
  bounds: IndexBounds & Pick<CallOptions, 'signal'>,
): Promise<ReceivedPack> {
  const { commands } = tools
  const folder = tools.newFolder()
  const packs = join(folder, packFolder)
  await mkdir(packs, { recursive: true, mode: 0o700 })
  const { signal } = bounds
  const ownObjects = join(commands.folder, 'objects')
  const alone = { GIT_OBJECT_DIRECTORY: folder }
  const both = { ...alone, GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(ownObjects) }
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const fault = await indexPack(commands, pack, { ...bounds, env: both })
    if (fault !== undefined) {
      await remove()
      return { fault }
    }
  } catch (error) {
    await remove()
    throw error
  }
  const walk = { env: both, signal, cpuSeconds: walkCpuSeconds, deadlineMs: walkDeadlineMs }
  const ask = async (questions: readonly Question[]) => {
    if (questions.length === 0) return []
    const git = await commands.start(readerArgs, { ...walk, maxBytes: maxWalkBytes })
    try {
      return await objectReader(git, walkDeadlineMs).ask(questions)
    } finally {
      git.stdin.end()
      await git.ended.catch(() => {})
    }
  }
  async function* walkFrom(starts: readonly string[], others: Iterable<ObjectHash>) {
    const git = await commands.start(['rev-list', '--objects', '--stdin'], {
      ...{ ...walk, maxBytes: maxWalkBytes },
    })
    for (const start of starts) git.stdin.write(`${start}\n`)
    for (const other of others) git.stdin.write(`^${hashArgument(other)}\n`)
    git.stdin.end()
    for await (const line of linesOf(git.output())) {
      const hash = line.slice(0, 40) as ObjectHash
      yield { hash, path: line.length > 40 ? line.slice(41) : undefined }
    }
  }
  return {
    async *objects() {
      const args = ['cat-file', '--batch-all-objects', '--batch-check']
      const options = { ...walk, env: alone, maxBytes: maxWalkBytes }
      const git = await commands.start(args, options)
      git.stdin.end()
      for await (const line of linesOf(git.output())) {
        const [hash = '', kind = '', size = ''] = line.split(' ')
        yield { hash: hash as ObjectHash, kind: kind as ObjectInfo['kind'], size: Number(size) }
      }
    },
    async infoOf(hashes) {
      const infos: (ObjectInfo | undefined)[] = []
      for (let at = 0; at < hashes.length; at += questionsAtOnce) {
        const group = hashes.slice(at, at + questionsAtOnce)
        infos.push(...(await ask(group.map((hash) => questionFor(hash, 'info')))))
      }
      return infos
    },
    async endsOf(tips) {
      const answers = await ask(
        tips.flatMap((tip): Question[] => {
          const object = hashArgument(tip) as ObjectHash
          return [
            { wants: 'info', object },
            { wants: 'info', object: `${object}^{commit}` },
          ]
        }),
      )
      return tips.map((_, at) => ({
        kind: answers[2 * at]?.kind,
        commit: answers[2 * at + 1]?.hash as CommitHash | undefined,
      }))
    },
    read: (hashes) => ask(hashes.map((hash) => questionFor(hash, 'contents'))),
    linked: (tips, others) => walkFrom(tips.map(hashArgument), others),
    between: (before, commit) =>
      walkFrom([`${hashArgument(commit)}^{tree}`, `^${hashArgument(before)}^{tree}`], []),
    async isAncestor(old, of) {
      // A walk by dates errs where clocks did.
      const args = ['merge-base', hashArgument(old), hashArgument(of)]
      const output = await commands.run(args, '', { ...walk, otherExit: 1 })
      return output.toString('latin1').trim() === old
    },
    async keep() {
      const names = await readdir(packs)
      // Git looks for packs by their indexes.
      const inOrder = names.toSorted((one, other) => Number(isIndex(one)) - Number(isIndex(other)))
      const target = join(ownObjects, packFolder)
      for (const name of inOrder) await syncToDisk(join(packs, name))
      await mkdir(target, { recursive: true })
      for (const name of inOrder) await rename(join(packs, name), join(target, name))
      commands.wrote(packFolder)
      await syncToDisk(target)
    },
    remove,
  }
}

function questionFor(hash: ObjectHash, wants: Question['wants']): Question {
  hashArgument(hash)
  return { wants, object: hash }
}

function isIndex(name: string): boolean {
  return name.endsWith('.idx')
}

/** A colon would end the path. */
function quotedPath(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&')}"`
}
