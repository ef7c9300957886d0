/** Bare git repositories, handled by the plumbing of the git binary alone. */

export { repositoriesFolder } from './folders.ts'
export type { ChangedPath } from './history/compare.ts'
export {
  type Damage,
  findDamage,
  findGit,
  type InspectedRepositories,
  inspectRepositories,
} from './inspect.ts'
export type { Commit, Person, SignedText } from './objects/commit-text.ts'
export { isLongerHash, type ObjectHash, parseObjectHash } from './objects/object-hash.ts'
export type { ObjectInfo, ObjectKind } from './objects/object-reader.ts'
export type { BlobRange, BlobRequest, OpenBlob } from './objects/stream-blob.ts'
export type { BlobBatch } from './objects/write-blobs.ts'
export type { NewCommit } from './objects/write-commit.ts'
export { type Git, type GitBounds, type GitSettings, openGit } from './open-git.ts'
export { type MatchRequest, unspecified } from './patterns/match-paths.ts'
export { type FailureReason, GitBusy, GitFailed, GitUnavailable } from './process/git-errors.ts'
export type { GitProcesses } from './process/process-watch.ts'
export { HashList } from './receive/hash-list.ts'
export { missingObjects } from './receive/index-pack.ts'
export type { LinkedObject, Quarantine, TipEnd } from './receive/quarantine.ts'
export type { RefTarget } from './refs/list-refs.ts'
export type { PreparedRefs, PrepareResult, RefConflict } from './refs/prepare-refs.ts'
export type { RecoveredRef } from './refs/recover.ts'
export type { RefChange } from './refs/ref-change.ts'
export { isShownRef, keepRef, recordRef } from './refs/ref-names.ts'
export type { ResolvedObject } from './refs/resolve.ts'
export type { Repository } from './repository.ts'
export type { ChangedTree, Edit, EditRefusal, FileMode } from './trees/edit.ts'
export type { ListedEntry, ListRequest, TreePage } from './trees/list-tree.ts'
export { type EntryKind, parseFolder } from './trees/parse-tree.ts'
export { parseTreePath, type TreePath } from './trees/tree-path.ts'
export { maxReadBytes } from './trees/tree-reader.ts'
export { type CommandFault, checkCommand } from './wire/check-command.ts'
export { checkWants, type IsOffered } from './wire/check-wants.ts'
export { keepAlive, type PushReport, pushAdvertisement, pushReport } from './wire/push-report.ts'
export {
  type FaultyRequest,
  maxCommands,
  type PushCommand,
  type PushRequest,
  readCommands,
} from './wire/read-commands.ts'
export { type PackBody, type PackRequest, versionOf } from './wire/upload-pack.ts'
