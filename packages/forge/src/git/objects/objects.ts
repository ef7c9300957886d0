import type { CommitHash } from '@latchkey/protocol'
import { GitFailed } from '../process/git-errors.ts'
import { hashArgument, isLongerHash, type ObjectHash } from './object-hash.ts'
import type { Answer, ObjectInfo, ObjectReader, Question } from './object-reader.ts'

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

export function objectsFrom(use: UseReader): Objects {
  const follow = async (hash: ObjectHash, kind: 'commit' | 'tree') => {
    if (isLongerHash(hash)) return undefined
    const question: Question = { wants: 'info', object: `${checked(hash)}^{${kind}}` }
    const [found] = await use((reader) => reader.ask([question]))
    return found?.hash
  }
  return {
    infoOf: async (hashes) => {
      const infos: (ObjectInfo | undefined)[] = []
      for (let at = 0; at < hashes.length; at += questionsAtOnce) {
        const questions = hashes
          .slice(at, at + questionsAtOnce)
          .map((hash): Question => ({ wants: 'info', object: checked(hash) }))
        const answers = await use((reader) => reader.ask(questions))
        for (const answer of answers) infos.push(answer && infoIn(answer))
      }
      return infos
    },
    read: (hash, maxBytes) =>
      use(async (reader) => {
        if (isLongerHash(hash)) return undefined
        const object = checked(hash)
        const [info] = await reader.ask([{ wants: 'info', object }])
        if (info === undefined) return undefined
        if (info.size > maxBytes) {
          throw new GitFailed('too-large', `has a ${info.kind} of ${info.size} bytes here`)
        }
        const [answer] = await reader.ask([{ wants: 'contents', object }])
        return answer
      }),
    commitBehind: async (hash) => (await follow(hash, 'commit')) as CommitHash | undefined,
    treeOf: (commit) => follow(commit, 'tree'),
  }
}

function infoIn({ hash, kind, size }: Answer): ObjectInfo {
  return { hash, kind, size }
}

function checked(hash: ObjectHash): ObjectHash {
  hashArgument(hash)
  return hash
}
