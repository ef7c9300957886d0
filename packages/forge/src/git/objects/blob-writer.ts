/** A `git hash-object` process that stores the contents of many files, one after the other. */

import { rm, writeFile } from 'node:fs/promises'
import { GitFailed } from '../process/git-errors.ts'
import { linesOf } from '../process/lines.ts'
import type { GitProcess } from '../process/start-git.ts'
import { type ObjectHash, readHash } from './object-hash.ts'
import { draftIn } from './write-object.ts'

export interface BlobWriter {
  /** Git hashes it, and has it on the disk when the promise settles. */
  write(content: Uint8Array): Promise<ObjectHash>
}

export const writerArgs = ['hash-object', '-t', 'blob', '-w', '--no-filters', '--stdin-paths']

export function blobWriter(git: GitProcess, folder: string, deadlineMs: number): BlobWriter {
  const waiting: PromiseWithResolvers<ObjectHash>[] = []
  let failure: unknown
  const failAll = (error: unknown) => {
    failure = error
    for (const one of waiting.splice(0)) one.reject(error)
  }
  git.ended.then(() => failAll(new GitFailed('closed', 'hash-object has ended')), failAll)
  void readHashes(git, waiting)

  return {
    async write(content) {
      const draft = draftIn(folder)
      try {
        await writeFile(draft, content, { flag: 'wx' })
        if (failure !== undefined) throw failure
        const late = () => git.kill(new GitFailed('deadline', 'hash-object took too long'))
        const deadline = setTimeout(late, deadlineMs)
        const written = Promise.withResolvers<ObjectHash>()
        waiting.push(written)
        git.stdin.write(`${draft}\n`)
        return await written.promise.finally(() => clearTimeout(deadline))
      } finally {
        await rm(draft, { force: true })
      }
    },
  }
}

/** In the order of the files. */
async function readHashes(
  git: GitProcess,
  waiting: PromiseWithResolvers<ObjectHash>[],
): Promise<void> {
  try {
    for await (const line of linesOf(git.output())) waiting.shift()?.resolve(readHash(line))
  } catch (error) {
    // Those who wait learn it from the end of the process.
    git.kill(error)
  }
}
