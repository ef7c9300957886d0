/** Compares two commits: the paths that changed, and a unified diff. */

import type { CommitHash } from '@latchkey/protocol'
import type { GitTools } from '../objects/git-tools.ts'
import { hashArgument, parseObjectHash } from '../objects/object-hash.ts'
import type { CallOptions } from '../process/git-commands.ts'
import { GitFailed } from '../process/git-errors.ts'
import { type EntryKind, kindOf } from '../trees/parse-tree.ts'
import { type RawPath, shownPath } from '../trees/tree-path.ts'

type Signal = Pick<CallOptions, 'signal'>

export interface Comparison {
  /** Undefined compares with an empty repository. */
  readonly from: CommitHash | undefined
  readonly to: CommitHash
}

export interface ChangedPath {
  readonly change: 'added' | 'deleted' | 'changed'
  readonly path: string
  /** After the change; before it where the path was deleted. */
  readonly kind: EntryKind
}

export interface ChangedPaths {
  readonly paths: readonly ChangedPath[]
  /** Whether there are more than were asked for. */
  readonly hasMore: boolean
}

const deadlineMs = 10_000
const maxListBytes = 8 * 1024 * 1024
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Git may compare larger files only by their hashes: a line-by-line comparison would take too long. */
const comparedBytes = '1m'

const plumbing = ['-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color']

/** Git stops as soon as it has given more paths than the limit. */
export async function changedPaths(
  { commands }: GitTools,
  { from, to }: Comparison,
  { limit, signal }: Signal & { readonly limit: number },
): Promise<ChangedPaths> {
  const args = ['diff-tree', ...plumbing, '--raw', '-z', '--end-of-options', ...sides({ from, to })]
  const git = await commands.start(args, { signal, deadlineMs, maxBytes: maxListBytes })
  git.stdin.end()
  const paths: ChangedPath[] = []
  let head: string | undefined
  for await (const field of fieldsOf(git.output())) {
    if (head === undefined) {
      head = field
      continue
    }
    if (paths.length === limit) return { paths, hasMore: true }
    paths.push(readChange(head, field))
    head = undefined
  }
  return { paths, hasMore: false }
}

/** `:100644 100644 <hash> <hash> M`, and behind it the path. */
function readChange(head: string, path: string): ChangedPath {
  const [before = '', after = '', , , letter = ''] = head.replace(/^:/, '').split(' ')
  const change = letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'changed'
  const mode = change === 'deleted' ? before : after
  return { change, path: shownPath(path as RawPath), kind: kindOf({ mode }) }
}

async function* fieldsOf(output: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const part of output) {
    const fields = (rest + part.toString('latin1')).split('\0')
    rest = fields.pop() ?? ''
    yield* fields
  }
}

export interface Diff {
  readonly text: string
  /** Whether the text ends before the diff does. */
  readonly isCut: boolean
}

export async function diffText(
  { commands }: GitTools,
  { from, to }: Comparison,
  { maxBytes, signal }: Signal & { readonly maxBytes: number },
): Promise<Diff> {
  const settings = ['-c', `core.bigFileThreshold=${comparedBytes}`]
  const args = [...settings, 'diff-tree', ...plumbing, '-p', '--end-of-options']
  const git = await commands.start([...args, ...sides({ from, to })], { signal, deadlineMs })
  git.stdin.end()
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of git.output()) {
      parts.push(part)
      bytes += part.length
      if (bytes > maxBytes) break
    }
  } catch (error) {
    if (!isDeadline(error)) throw error
    return { text: textOf(parts, maxBytes), isCut: true }
  }
  return { text: textOf(parts, maxBytes), isCut: bytes > maxBytes }
}

function isDeadline(error: unknown): boolean {
  return error instanceof GitFailed && error.reason === 'deadline'
}

function textOf(parts: readonly Buffer[], maxBytes: number): string {
  return Buffer.concat(parts).subarray(0, maxBytes).toString('utf8')
}

/** The newest commit that both histories have; undefined if they have none in common. */
export async function mergeBase(
  { commands }: GitTools,
  [one, other]: readonly [CommitHash, CommitHash],
  { signal }: Signal = {},
): Promise<CommitHash | undefined> {
  const args = ['merge-base', hashArgument(one), hashArgument(other)]
  try {
    const output = await commands.run(args, '', { signal, deadlineMs, maxBytes: 4096 })
    return parseObjectHash(output.toString('latin1').trim()) as CommitHash | undefined
  } catch (error) {
    if (error instanceof GitFailed && error.reason === 'exit') return undefined
    throw error
  }
}

function sides({ from, to }: Comparison): readonly string[] {
  return [from === undefined ? emptyTree : hashArgument(from), hashArgument(to)]
}
