import type { CommitHash, NoCommit, RefName } from '@latchkey/protocol'
import { noCommit } from '@latchkey/protocol'
import { hashArgument, type ObjectHash } from '../objects/object-hash.ts'
import { refArgument } from './ref-names.ts'

export interface RefChange {
  readonly ref: RefName
  /**
   * The value that it must have before; 40 zeros if it must not exist; undefined if any value will
   * do.
   */
  readonly old: ObjectHash | NoCommit | undefined
  /** 40 zeros delete it. */
  readonly new: ObjectHash | NoCommit
}

export function formatChange({ ref, old, new: after }: RefChange): string {
  const before = old === undefined ? '' : target(old)
  if (after === noCommit) return `delete ${refArgument(ref)}\0${before}\0`
  return `update ${refArgument(ref)}\0${target(after)}\0${before}\0`
}

function target(hash: ObjectHash | NoCommit): string {
  return hash === noCommit ? noCommit : hashArgument(hash as CommitHash)
}
