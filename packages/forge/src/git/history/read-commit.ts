import type { CommitHash } from '@latchkey/protocol'
import { type Commit, parseCommit } from '../objects/commit-text.ts'
import type { Objects } from '../objects/objects.ts'

const maxCommitBytes = 4 * 1024 * 1024

export async function readCommit(objects: Objects, hash: CommitHash): Promise<Commit | undefined> {
  const object = await objects.read(hash, maxCommitBytes)
  return object?.kind === 'commit' ? parseCommit(hash, object.bytes) : undefined
}
