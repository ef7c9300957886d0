/** The master keys of a rewrap: where the new one comes from, and how it takes the place of the old one. */

import { hash } from 'node:crypto'
import { linkSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { isKeyFileThere, makeKeyFile } from '@latchkey/service/machine/key-file'
import { syncPath } from '@latchkey/service/machine/sync-path'
import {
  type MasterKey,
  masterKeyFile,
  masterKeysIn,
  nextMasterKeyFile,
  readMasterKey,
} from './master-key.ts'

export interface RewrapKeys {
  /** Those at hand, one of which should open the keys. */
  readonly old: readonly MasterKey[]
  readonly next: MasterKey
  /** For when nothing was sealed with the new one: a file that was made for it goes. */
  discard(): void
  /** For when everything is: the file of the old one makes room. Gives where the old one is kept, if it was a file. */
  putInPlace(): string | undefined
}

interface Given {
  /** From the environment, where it is not in a file. */
  readonly current: MasterKey | undefined
  /** Undefined makes one, in a file beside the old one. */
  readonly next: MasterKey | undefined
}

export function rewrapKeysOf(data: string, { current, next }: Given): RewrapKeys {
  const file = nextMasterKeyFile(data)
  // A file that is there is of a rewrap that was cut off: the keys may be sealed with it already.
  const isMade = next === undefined && !isKeyFileThere(file)
  if (isMade) makeKeyFile(file)
  const chosen = next ?? readMasterKey(file)
  return {
    old: current === undefined ? masterKeysIn(data) : [current],
    next: chosen,
    discard() {
      if (isMade) rmSync(file)
    },
    putInPlace: () => (current === undefined ? replaceFile(data, { next, chosen }) : undefined),
  }
}

/** Each step leaves the old key in a file, and the new one in a file or with the operator. */
function replaceFile(
  data: string,
  { next, chosen }: { readonly next: MasterKey | undefined; readonly chosen: MasterKey },
): string | undefined {
  const file = masterKeyFile(data)
  const old = isKeyFileThere(file) ? readMasterKey(file) : undefined
  const isOther = old !== undefined && old.reveal() !== chosen.reveal()
  const kept = isOther ? `${file}.old-${fingerprintOf(old)}` : undefined
  if (kept !== undefined && !isKeyFileThere(kept)) linkSync(file, kept)
  if (next === undefined) renameSync(nextMasterKeyFile(data), file)
  else if (isOther) unlinkSync(file)
  syncPath(data)
  return kept
}

/** The same name for the same key, so that a command that is run again keeps it once. */
function fingerprintOf(key: MasterKey): string {
  return hash('sha256', key.reveal(), 'hex').slice(0, 8)
}
