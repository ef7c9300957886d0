/** Stores a commit; no ref names it yet. */

import type { CommitHash, RefName, UnixSeconds } from '@latchkey/protocol'
import type { CallOptions } from '../process/git-commands.ts'
import type { Person } from './commit-text.ts'
import type { GitTools } from './git-tools.ts'
import { hashArgument, type ObjectHash } from './object-hash.ts'
import { expectKinds } from './objects.ts'
import { writeObject } from './write-object.ts'

export interface NewCommit {
  readonly tree: ObjectHash
  readonly parents: readonly CommitHash[]
  readonly author: Person
  readonly committer: Person
  readonly message: string
  readonly at: UnixSeconds
}

/** As `git commit-tree` writes it. */
export async function writeCommit(
  { commands, objects }: GitTools,
  { tree, parents, author, committer, message, at }: NewCommit,
  { signal }: Pick<CallOptions, 'signal'> = {},
): Promise<CommitHash> {
  signal?.throwIfAborted()
  await expectKinds(
    objects,
    new Map([...parents.map((hash) => [hash, 'commit'] as const), [tree, 'tree']]),
  )
  const head = [
    `tree ${tree}`,
    ...new Set(parents.map((parent) => `parent ${parent}`)),
    `author ${signature(author, at)}`,
    `committer ${signature(committer, at)}`,
  ]
  const text = `${head.join('\n')}\n\n${messageForGit(message)}`
  return (await writeObject(commands, 'commit', Buffer.from(text))) as CommitHash
}

function signature({ name, email }: Person, at: UnixSeconds): string {
  return `${withoutCrud(nameForGit(name))} <${withoutCrud(plain(email))}> ${at} +0000`
}

const crud = ' .,:;"\\\''

/** Git leaves out these characters where they begin or end a name. */
function withoutCrud(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && crud.includes(text.charAt(start))) start += 1
  while (start < end && crud.includes(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
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
  { commands, objects }: GitTools,
  { commit, ref, tagger, message, at }: NewTag,
): Promise<ObjectHash> {
  const person = `${nameForGit(tagger.name)} <${plain(tagger.email)}>`
  const head = `object ${hashArgument(commit)}\ntype commit\ntag ${ref.slice('refs/tags/'.length)}`
  const body = messageForGit(message)
  const text = `${head}\ntagger ${person} ${at} +0000\n\n${body}`
  await expectKinds(objects, new Map([[commit, 'commit']]))
  return writeObject(commands, 'tag', Buffer.from(text))
}
