import type { CommitHash } from '@latchkey/protocol'
import { GitFailed } from '../process/git-errors.ts'
import { hashArgument, isLongerHash, type ObjectHash } from './object-hash.ts'
import type { Answer, ObjectInfo, ObjectReader, Question } from './object-reader.ts'
import type { RememberedObjects } from './remembered-objects.ts'

export interface Objects {
  /** In the order of the hashes; undefined stands for an object that is not there. */
  infoOf(hashes: readonly ObjectHash[]): Promise<readonly (ObjectInfo | undefined)[]>
  /** Fails if the object has more bytes than `maxBytes`. */
  read(hash: ObjectHash, maxBytes: number): Promise<Answer | undefined>
  /** The commit that a commit or a tag leads to. */
  commitBehind(hash: ObjectHash): Promise<CommitHash | undefined>
  /** The folder that a commit shows. */
  treeOf(commit: CommitHash): Promise<ObjectHash | undefined>
}

/** Other requests have their turn between them. */
const questionsAtOnce = 1000

/** Lends the repository's reader for some questions. */
export type UseReader = <Result>(work: (reader: ObjectReader) => Promise<Result>) => Promise<Result>

export interface ObjectSources {
  readonly use: UseReader
  readonly remembered: RememberedObjects
  /** Aborted when the caller of all questions has gone. */
  readonly signal: AbortSignal | undefined
}

export function objectsFrom({ use, remembered, signal }: ObjectSources): Objects {
  const follow = async (hash: ObjectHash, kind: 'commit' | 'tree') => {
    signal?.throwIfAborted()
    if (isLongerHash(hash)) return undefined
    const target = remembered.target(hash, kind)
    if (target !== undefined) return target
    const question: Question = { wants: 'info', object: `${checked(hash)}^{${kind}}` }
    const [found] = await use((reader) => reader.ask([question]))
    if (found === undefined) return undefined
    remembered.learnTarget(hash, kind, found.hash)
    return found.hash
  }
  const askInfos = async (hashes: readonly ObjectHash[]) => {
    const questions = hashes.map((object): Question => ({ wants: 'info', object }))
    const answers = await use((reader) => reader.ask(questions))
    for (const answer of answers) if (answer !== undefined) remembered.learn(answer, false)
    return answers.map((answer) => answer && infoIn(answer))
  }
  const infoOf: Objects['infoOf'] = async (hashes) => {
    signal?.throwIfAborted()
    const infoByHash = new Map<ObjectHash, ObjectInfo | undefined>()
    for (const hash of hashes) infoByHash.set(hash, remembered.info(checked(hash)))
    const unknown = [...infoByHash].flatMap(([hash, info]) => (info === undefined ? [hash] : []))
    for (let at = 0; at < unknown.length; at += questionsAtOnce) {
      const some = unknown.slice(at, at + questionsAtOnce)
      const infos = await askInfos(some)
      for (const [at, hash] of some.entries()) infoByHash.set(hash, infos[at])
    }
    return hashes.map((hash) => infoByHash.get(hash))
  }
  return {
    infoOf,
    async read(hash, maxBytes) {
      if (isLongerHash(hash)) return undefined
      const [info] = await infoOf([hash])
      if (info === undefined) return undefined
      if (info.size > maxBytes) {
        throw new GitFailed('too-large', `has a ${info.kind} of ${info.size} bytes here`)
      }
      const object = remembered.object(hash)
      if (object !== undefined) return object
      const [answer] = await use((reader) => reader.ask([{ wants: 'contents', object: hash }]))
      if (answer !== undefined) remembered.learn(answer, true)
      return answer
    },
    commitBehind: async (hash) => (await follow(hash, 'commit')) as CommitHash | undefined,
    treeOf: (commit) => follow(commit, 'tree'),
  }
}

/** An object that names others must not name what is not there. */
export async function expectKinds(
  objects: Pick<Objects, 'infoOf'>,
  kinds: ReadonlyMap<ObjectHash, ObjectInfo['kind']>,
): Promise<void> {
  const infos = await objects.infoOf([...kinds.keys()])
  for (const [at, kind] of [...kinds.values()].entries()) {
    if (infos[at]?.kind !== kind) throw new GitFailed('exit', `has no such ${kind} here`)
  }
}

function infoIn({ hash, kind, size }: Answer): ObjectInfo {
  return { hash, kind, size }
}

function checked(hash: ObjectHash): ObjectHash {
  hashArgument(hash)
  return hash
}
