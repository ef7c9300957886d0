/** Stores a tag with a message; no ref names it yet. */

import type { CommitHash, RefName, UnixSeconds } from '@latchkey/protocol'
import type { GitCommands } from '../process/git-commands.ts'
import type { Person } from './commit-text.ts'
import { hashArgument, type ObjectHash, readHash } from './object-hash.ts'
import { messageForGit, nameForGit, plain } from './write-commit.ts'

export interface NewTag {
  readonly commit: CommitHash
  readonly ref: RefName
  readonly tagger: Person
  readonly message: string
  readonly at: UnixSeconds
}

export async function writeTag(
  commands: GitCommands,
  { commit, ref, tagger, message, at }: NewTag,
): Promise<ObjectHash> {
  const person = `${nameForGit(tagger.name)} <${plain(tagger.email)}>`
  const head = `object ${hashArgument(commit)}\ntype commit\ntag ${ref.slice('refs/tags/'.length)}`
  const body = messageForGit(message)
  const text = `${head}\ntagger ${person} ${at} +0000\n\n${body}`
  const said = await commands.run(['hash-object', '-t', 'tag', '-w', '--stdin'], text)
  const hash = readHash(said.toString('latin1'))
  commands.wrote(hash)
  return hash
}
