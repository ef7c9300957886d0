/** Stores a commit; no ref names it yet. */

import type { CommitHash, RefName, UnixSeconds } from '@latchkey/protocol'
import type { CallOptions, GitCommands } from '../process/git-commands.ts'
import type { Person } from './commit-text.ts'
import { hashArgument, type ObjectHash, readHash } from './object-hash.ts'

export interface NewCommit {
  readonly tree: ObjectHash
  readonly parents: readonly CommitHash[]
  readonly author: Person
  readonly committer: Person
  readonly message: string
  readonly at: UnixSeconds
}

export async function writeCommit(
  commands: GitCommands,
  { tree, parents, author, committer, message, at }: NewCommit,
  { signal }: Pick<CallOptions, 'signal'> = {},
): Promise<CommitHash> {
  const named = parents.flatMap((parent) => ['-p', hashArgument(parent)])
  const env = { ...signature('AUTHOR', author, at), ...signature('COMMITTER', committer, at) }
  const args = ['commit-tree', ...named, '-F', '-', hashArgument(tree)]
  const text = messageForGit(message)
  const output = await commands.run(args, text, { env, signal })
  const hash = readHash(output.toString('latin1')) as CommitHash
  commands.wrote(hash)
  return hash
}

function signature(role: 'AUTHOR' | 'COMMITTER', { name, email }: Person, at: UnixSeconds) {
  return {
    [`GIT_${role}_NAME`]: nameForGit(name),
    [`GIT_${role}_EMAIL`]: plain(email),
    [`GIT_${role}_DATE`]: `@${at} +0000`,
  }
}

/** git takes no name that is made of signs alone. */
export function nameForGit(name: string): string {
  const text = plain(name)
  return /^[\s.,:;"\\']*$/.test(text) ? 'unknown' : text
}

/** Without what would end the name or the line. */
export function plain(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f<>]/g, ' ').trim()
}

/** Git takes no NUL in a message. It ends with one line feed; a regular expression would look for it from each line anew. */
export function messageForGit(message: string): string {
  let end = message.length
  while (message[end - 1] === '\n') end -= 1
  return `${message.slice(0, end).replaceAll('\0', ' ')}\n`
}

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
  const output = await commands.run(['hash-object', '-t', 'tag', '-w', '--stdin'], text)
  const hash = readHash(output.toString('latin1'))
  commands.wrote(hash)
  return hash
}
