import type { CallerQuestions, CallerRef, PermittedRevision } from '@latchkey/admin-api/forge-port'
import {
  type Clock,
  type CommitHash,
  isRefusal,
  noCommit,
  type RefUid,
  type Refusal,
  type RepositoryUid,
  refuse,
} from '@latchkey/protocol'
import {
  type Edit,
  GitFailed,
  maxReadBytes,
  type ObjectHash,
  parseTreePath,
  type Repository,
} from '../git/index.ts'
import { type PathRules, pathRules, trackLargeFiles } from '../large-files/path-rules.ts'
import { readText } from '../large-files/read-text.ts'
import { quoted } from '../words/quoted.ts'
import { authorOf } from './author.ts'
import { moveRef } from './move-ref.ts'
import type { Settling } from './settle.ts'
import type { StagedCommit } from './stage.ts'

export interface Branch extends CallerRef {
  readonly uid: RepositoryUid
  readonly account: string
  readonly repository: Repository
  readonly hub: Pick<CallerQuestions, 'decide' | 'moveRef'>
  /** The ref that content was stored for, if it was. */
  readonly refUid?: RefUid | undefined
}

export interface Making extends Settling {
  /** Aborted when the client has gone. It ends the work until the branch is about to move, and never the move. */
  readonly signal: AbortSignal
  readonly publicUrl: string
  readonly clock: Clock
}

/** Others may move the branch between the look at it and the move. */
const maxTries = 3

/** To be called in the repository's turn. */
export async function makeCommit(
  branch: Branch,
  staged: StagedCommit,
  making: Making,
): Promise<CommitHash | Refusal> {
  const { repo, uid, ref, hub } = branch
  const { signal } = making
  // Rights may be lost since the body began to arrive. Where the directory is changed, its transaction decides.
  const decide = () => hub.decide({ repo, revision: { kind: 'ref', name: ref }, scope: 'write' })
  let head: PermittedRevision['commit'] | undefined = (await making.hub.refsOf(uid, ref))?.get(ref)
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted()
    if (head !== undefined) {
      const to = await commitOnto(head, branch, staged, making)
      if (isRefusal(to) || to === head) return refusalOf(await decide()) ?? to
      const refused = await moveRef(making, { ...branch, from: head, to })
      if (refused?.code !== 'conflict' || tries === maxTries) return refused ?? to
    }
    const permitted = await decide()
    if (isRefusal(permitted)) return permitted
    head = permitted.commit
  }
}

/** The refusal of a decision, if it is one. */
export function refusalOf(decision: object): Refusal | undefined {
  return isRefusal(decision) ? decision : undefined
}

/** The head where nothing changes: the same commit was sent before, or the files are there already. */
async function commitOnto(
  head: PermittedRevision['commit'],
  branch: Branch,
  staged: StagedCommit,
  making: Making,
): Promise<CommitHash | Refusal> {
  const { parentCommit } = staged.header
  if (parentCommit !== undefined && parentCommit !== head) {
    return (await sameAgain(head, branch, staged, making)) ?? moved()
  }
  const { account, repository } = branch
  return writeOnto(head, staged, { ...making, account, repository })
}

export interface Writing extends Pick<Making, 'publicUrl' | 'clock' | 'git' | 'signal'> {
  readonly account: string
  readonly repository: Repository
}

/** Writes the commit that follows on another; the other itself where nothing changes. */
export async function writeOnto(
  head: PermittedRevision['commit'],
  staged: StagedCommit,
  { repository, account, publicUrl, clock, git, signal }: Writing,
): Promise<CommitHash | Refusal> {
  const { summary, description } = staged.header
  const parents = head === noCommit ? [] : [head as CommitHash]
  const base = parents[0] && (await repository.treeOf(parents[0]))
  if (parents.length > 0 && base === undefined) return notHere(head)
  const tree = await treeOf({ repository, rules: pathRules(git), signal }, base, staged)
  if (isRefusal(tree)) return tree
  if (tree === base && parents[0] !== undefined) return parents[0]
  const author = authorOf(account, publicUrl)
  const message = description === '' ? summary : `${summary}\n\n${description}`
  const at = clock()
  return repository.writeCommit({
    ...{ tree, parents, author, committer: author, message, at },
  })
}

/** A client that lost the answer sends its commit again: the branch is then at the commit that it made. */
async function sameAgain(
  head: PermittedRevision['commit'],
  { repository }: Branch,
  staged: StagedCommit,
  { git, signal }: Making,
): Promise<CommitHash | undefined> {
  const { parentCommit } = staged.header
  const commit = head === noCommit ? undefined : await repository.readCommit(head as CommitHash)
  const isNext = commit?.parents.length === 1 && commit.parents[0] === parentCommit
  if (commit === undefined || parentCommit === undefined || !isNext) return undefined
  const base = await repository.treeOf(parentCommit)
  const tree = await treeOf({ repository, rules: pathRules(git), signal }, base, staged)
  return tree === commit.tree ? commit.hash : undefined
}

interface TreeTools extends Pick<Making, 'signal'> {
  readonly repository: Repository
  readonly rules: PathRules
}

async function treeOf(
  { repository, rules, signal }: TreeTools,
  base: ObjectHash | undefined,
  { edits, large, attributes }: StagedCommit,
): Promise<ObjectHash | Refusal> {
  const text = attributes ?? (await readText(repository, base, attributesName))
  const paths = large.map(({ path }) => path)
  const tracked = large.length === 0 ? text : await trackLargeFiles(text, paths, rules)
  if (isRefusal(tracked)) return tracked
  const more = tracked === text ? [] : [await attributesEdit(repository, tracked)]
  try {
    const changed = await repository.changeTree(base, [...edits, ...more], { signal })
    return changed.ok ? changed.tree : refuseEdit(changed)
  } catch (error) {
    if (error instanceof GitFailed && error.reason === 'too-large') return foldersTooLarge()
    throw error
  }
}

function foldersTooLarge(): Refusal {
  const limit = `A commit may change and copy files of folders that have ${maxReadBytes} bytes of names and hashes together.`
  const detail = `${limit} This one needs more, or a single folder is too large. Split it into several commits.`
  return refuse('bad_request', detail)
}

const attributesName = '.gitattributes'

async function attributesEdit(repository: Repository, text: string): Promise<Edit> {
  const path = parseTreePath(attributesName)
  if (path === undefined) throw new Error('.gitattributes is a path')
  const hash = await repository.writeBlob(Buffer.from(text))
  return { kind: 'add', path, hash, mode: '100644' }
}

function refuseEdit({
  edit,
  refusal,
}: {
  readonly edit: Edit
  readonly refusal: 'missing' | 'file-in-the-way' | 'folder-in-the-way'
}): Refusal {
  const path = quoted(edit.kind === 'copy' && refusal === 'missing' ? edit.from : edit.path)
  switch (refusal) {
    case 'missing':
      return refuse('entry_not_found', `The branch has no such file or folder: ${path}.`)
    case 'file-in-the-way':
      return refuse('bad_request', `A part of ${path} is a file. Delete that file first.`)
    case 'folder-in-the-way':
      return refuse('bad_request', `There is a folder ${path}. Delete the folder first.`)
  }
}

function moved(): Refusal {
  const detail = 'The branch has moved on since parentCommit. Read its new commit, then try again.'
  return refuse('precondition_failed', detail)
}

function notHere(head: string): Refusal {
  const detail = `The branch is at the commit ${head}, and the repository does not have it: it was never pushed here.`
  return refuse('conflict', detail, { reason: 'objects missing' })
}
