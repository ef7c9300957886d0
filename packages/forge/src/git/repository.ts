/** One repository: all that can be asked of it and done to it. */

import type { CommitHash, NoCommit, RefName, Revision } from '@latchkey/protocol'
import type { KeyedTurns } from '@latchkey/service/limits/turns'
import {
  type ChangedPaths,
  type Comparison,
  changedPaths,
  type Diff,
  diffText,
  mergeBase,
} from './history/compare.ts'
import { lastCommits } from './history/last-commits.ts'
import { countCommits, type LogRequest, log } from './history/log.ts'
import { readCommit } from './history/read-commit.ts'
import { fsck } from './inspect.ts'
import type { Commit } from './objects/commit-text.ts'
import type { ObjectHash } from './objects/object-hash.ts'
import type { Answer, ObjectInfo } from './objects/object-reader.ts'
import { type BlobRequest, type OpenBlob, streamBlob } from './objects/stream-blob.ts'
import { type BlobBounds, type BlobTools, writeBlob } from './objects/write-blob.ts'
import { type BlobBatch, blobBatch } from './objects/write-blobs.ts'
import { type NewCommit, type NewTag, writeCommit, writeTag } from './objects/write-commit.ts'
import type { Input } from './process/feed.ts'
import type { CallOptions, GitCommands } from './process/git-commands.ts'
import type { IndexBounds } from './receive/index-pack.ts'
import { type ReceivedPack, type ReceiveTools, receivePack } from './receive/quarantine.ts'
import type { HeldUpdates } from './refs/held-updates.ts'
import { keeping } from './refs/keep-commits.ts'
import { listRecords, listRefs, listTargets, type RefTarget } from './refs/list-refs.ts'
import { type PrepareOptions, type PrepareResult, prepareRefs } from './refs/prepare-refs.ts'
import { type RecoveredRef, recover } from './refs/recover.ts'
import type { RefChange } from './refs/ref-change.ts'
import { type ResolvedObject, resolve } from './refs/resolve.ts'
import { changeTree } from './trees/change-tree.ts'
import type { ChangedTree, Edit } from './trees/edit.ts'
import { findEntries } from './trees/find-entries.ts'
import { type ListedEntry, type ListRequest, listTree, type TreePage } from './trees/list-tree.ts'
import type { TreePath } from './trees/tree-path.ts'
import type { FolderTools, ReadLimits } from './trees/tree-reader.ts'
import { advertiseRefs, type PackBody, type PackRequest, uploadPack } from './wire/upload-pack.ts'

type Signal = Pick<CallOptions, 'signal'>

/** Methods give undefined for a requested object that is absent. */
export interface Repository {
  infoOf(hashes: readonly ObjectHash[]): Promise<readonly (ObjectInfo | undefined)[]>
  readObject(hash: ObjectHash, maxBytes: number): Promise<Answer | undefined>
  streamBlob(hash: ObjectHash, request?: BlobRequest): Promise<OpenBlob | undefined>

  resolve(revision: Revision, options?: Signal): Promise<ResolvedObject | undefined>
  readCommit(commit: CommitHash): Promise<Commit | undefined>
  treeOf(commit: CommitHash): Promise<ObjectHash | undefined>
  /** The commit that a commit or a tag leads to. */
  commitBehind(hash: ObjectHash): Promise<CommitHash | undefined>
  listTree(tree: ObjectHash, request: ListRequest): Promise<TreePage | undefined>
  findEntries(
    tree: ObjectHash,
    paths: readonly TreePath[],
  ): Promise<ReadonlyMap<TreePath, ListedEntry>>
  log(commit: CommitHash, request: LogRequest): Promise<readonly Commit[]>
  countCommits(commit: CommitHash, options?: Signal): Promise<number | undefined>
  changedPaths(
    comparison: Comparison,
    request: Signal & { readonly limit: number },
  ): Promise<ChangedPaths>
  diffText(comparison: Comparison, request: Signal & { readonly maxBytes: number }): Promise<Diff>
  mergeBase(
    commits: readonly [CommitHash, CommitHash],
    options?: Signal,
  ): Promise<CommitHash | undefined>
  lastCommits(
    commit: CommitHash,
    paths: readonly TreePath[],
    options?: Signal,
  ): Promise<ReadonlyMap<TreePath, Commit>>

  writeBlob(
    content: AsyncIterable<Uint8Array> | Uint8Array,
    bounds?: BlobBounds,
  ): Promise<ObjectHash>
  /** For many small files. */
  writeBlobs(options?: Signal): BlobBatch
  changeTree(
    base: ObjectHash | undefined,
    edits: readonly Edit[],
    limits?: ReadLimits,
  ): Promise<ChangedTree>
  writeCommit(commit: NewCommit, options?: Signal): Promise<CommitHash>
  writeTag(tag: NewTag): Promise<ObjectHash>

  refs(
    options?: Signal & { readonly only?: readonly RefName[] },
  ): Promise<ReadonlyMap<RefName, ObjectHash>>
  /** The same, with the commits that tag objects lead to. */
  targets(): Promise<ReadonlyMap<RefName, RefTarget>>
  /** Records of every pull request, open or closed, by its number. */
  pullRequestRecords(): Promise<ReadonlyMap<number, CommitHash>>
  /** The changes that keep commits which refs are about to leave. */
  keeping(left: readonly (CommitHash | NoCommit)[]): Promise<readonly RefChange[]>
  prepareRefs(changes: readonly RefChange[], options?: PrepareOptions): Promise<PrepareResult>
  recover(expected: ReadonlyMap<RefName, ObjectHash>): Promise<RecoveredRef>

  advertiseRefs(request: PackRequest): PackBody
  uploadPack(request: PackRequest & { readonly body: Input }): PackBody
  /** The objects of a push, apart from the repository. The caller removes them. */
  receivePack(pack: AsyncIterable<Uint8Array>, bounds: IndexBounds): Promise<ReceivedPack>
  fsck(options?: Signal): Promise<readonly string[]>
  sizeBytes(options?: Signal): Promise<number>
}

export interface RepositoryTools extends ReceiveTools, FolderTools, BlobTools {
  readonly turns: KeyedTurns<string>
  readonly heldUpdates: HeldUpdates
  /** Brings the names of new objects to the disk. */
  syncWritten(): Promise<void>
}

export function repositoryOf(tools: RepositoryTools): Repository {
  const { commands, objects, turns } = tools
  return {
    infoOf: objects.infoOf,
    readObject: objects.read,
    streamBlob: (hash, request) => streamBlob(tools, hash, request),

    resolve: (revision, options) => resolve(tools, revision, options),
    readCommit: (commit) => readCommit(objects, commit),
    treeOf: objects.treeOf,
    commitBehind: objects.commitBehind,
    listTree: (tree, request) => listTree(tools, tree, request),
    findEntries: (tree, paths) => findEntries(tools, tree, paths),
    log: (commit, request) => log(tools, commit, request),
    countCommits: (commit, options) => countCommits(tools, commit, options),
    changedPaths: (comparison, request) => changedPaths(tools, comparison, request),
    diffText: (comparison, request) => diffText(tools, comparison, request),
    mergeBase: (commits, options) => mergeBase(tools, commits, options),
    lastCommits: (commit, paths, options) => lastCommits(tools, { commit, paths }, options),

    writeBlob: (content, bounds) => writeBlob(tools, content, bounds),
    writeBlobs: (options) => blobBatch(tools, options),
    changeTree: (base, edits, limits) => changeTree(tools, { base, edits }, limits),
    writeCommit: (commit, options) => writeCommit(tools, commit, options),
    writeTag: (tag) => writeTag(tools, tag),

    refs: (options) => listRefs(commands, options),
    targets: () => listTargets(commands),
    pullRequestRecords: () => listRecords(commands),
    keeping: (left) => keeping(objects, left),
    prepareRefs: (changes, options) => prepareInTurn(tools, changes, options),
    recover: (expected) => turns.alone(commands.folder, () => recover(tools, expected)),

    advertiseRefs: (request) => advertiseRefs(commands, request),
    uploadPack: (request) => uploadPack(commands, request),
    receivePack: (pack, bounds) => receivePack(tools, pack, bounds),
    fsck: (options) => fsck(commands, options),
    sizeBytes: (options) => sizeBytes(commands, options),
  }
}

/** Until the refs are settled nobody recovers: it would remove the locks of this change. */
async function prepareInTurn(
  { commands, turns, syncWritten, heldUpdates: held }: RepositoryTools,
  changes: readonly RefChange[],
  options?: PrepareOptions,
): Promise<PrepareResult> {
  const leave = await turns.share(commands.folder)
  try {
    await syncWritten()
    const prepared = await prepareRefs(commands, changes, { ...options, held })
    if (!prepared.ok) leave()
    else void prepared.ended.then(leave)
    return prepared
  } catch (error) {
    leave()
    throw error
  }
}

/** Bytes of all its objects, packed and loose. */
async function sizeBytes(
  commands: GitCommands,
  { signal }: Pick<CallOptions, 'signal'> = {},
): Promise<number> {
  const output = (await commands.run(['count-objects', '-v'], '', { signal })).toString('latin1')
  const kibibytes = [...output.matchAll(/^size(?:-pack|-garbage)?: (\d+)$/gm)]
  return kibibytes.reduce((sum, [, size]) => sum + Number(size) * 1024, 0)
}
