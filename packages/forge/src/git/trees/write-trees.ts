/** Stores folders, one after the other, by one `git mktree` process. */

import { nextSlice } from '@latchkey/service/limits/slice-turns'
import { type ObjectHash, readHash } from '../objects/object-hash.ts'
import type { CallOptions, GitCommands } from '../process/git-commands.ts'
import { linesOf } from '../process/lines.ts'
import { kindOf, type TreeEntry } from './parse-tree.ts'
import { bytesOf } from './tree-path.ts'

/** What the entries name must be there. */
export type WriteTree = (entries: Iterable<TreeEntry>) => Promise<ObjectHash>

/** Other requests have their turn between them. */
const entriesAtOnce = 2000

export async function writeTrees<Result>(
  commands: GitCommands,
  work: (write: WriteTree) => Promise<Result>,
  { signal }: Pick<CallOptions, 'signal'> = {},
): Promise<Result> {
  const git = await commands.start(['mktree', '-z', '--batch'], { signal })
  const hashes = linesOf(git.output())
  try {
    const result = await work(async (entries) => {
      let lines: string[] = []
      for (const entry of entries) {
        lines.push(formatEntry(entry))
        if (lines.length < entriesAtOnce) continue
        git.stdin.write(bytesOf(lines.join('')))
        lines = []
        signal?.throwIfAborted()
        await nextSlice()
      }
      git.stdin.write(bytesOf(`${lines.join('')}\0`))
      const { value } = await hashes.next()
      const hash = readHash(value ?? '')
      commands.wrote(hash)
      return hash
    })
    git.stdin.end()
    await hashes.next()
    return result
  } finally {
    await hashes.return()
  }
}

const objectKind = { folder: 'tree', file: 'blob', symlink: 'blob', submodule: 'commit' } as const

/** git sorts them. */
function formatEntry(entry: TreeEntry): string {
  return `${entry.mode} ${objectKind[kindOf(entry)]} ${entry.hash}\t${entry.name}\0`
}
