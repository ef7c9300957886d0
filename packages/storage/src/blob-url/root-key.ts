/** The root of all keys of blob URLs: a file in the data directory, which an operator may replace while the storage runs. */

import { createSecretKey, type KeyObject } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isKeyFileThere, makeKeyFile, readKeyFile } from '@latchkey/service/machine/files'
import type { RandomBytes } from '@latchkey/service/machine/random'
import type { Stopwatch } from '@latchkey/service/machine/time'
import { noticeMs } from './root-key-file.ts'

export interface RootKeyOptions {
  readonly stopwatch: Stopwatch
  readonly randomBytes: RandomBytes
  /** Told once when the root cannot be read any more. */
  readonly onFailure: (error: unknown) => void
}

export interface RootKey {
  /** The same object until the root is replaced. */
  current(): KeyObject
  /** Comes back when a replacement of two seconds ago is known. Rejects where that cannot be found out. */
  freshen(): Promise<void>
}

/** Makes the file where it is missing. */
export function openRootKey(data: string, name: string, options: RootKeyOptions): RootKey {
  const { stopwatch, randomBytes, onFailure } = options
  const file = join(data, name)
  if (!isKeyFileThere(file)) makeKeyFile(file)
  let version: string | undefined = versionOf(file)
  let root = readRoot(file)
  let lookedAt = stopwatch()
  const look = () => {
    const now = tried(() => versionOf(file))
    if (now === version) return
    version = now
    const read = tried(() => readRoot(file), onFailure)
    // The old root may have leaked, so it is not used any more, whatever has happened to the file.
    root = read ?? createSecretKey(randomBytes(32))
  }
  return {
    current() {
      const now = stopwatch()
      if (now - lookedAt >= noticeMs) {
        lookedAt = now
        look()
      }
      return root
    },
    async freshen() {},
  }
}

function readRoot(file: string): KeyObject {
  const secret = readKeyFile(
    'blob-url-key',
    file,
    'Remove it, and the next start makes a new one; clients then request new URLs.',
  )
  return createSecretKey(secret.reveal(), 'base64')
}

/** Another file, or another content, has another version. */
function versionOf(file: string): string {
  const { ino, mtimeNs, ctimeNs, size } = statSync(file, { bigint: true })
  return [ino, mtimeNs, ctimeNs, size].join(' ')
}

function tried<Result>(work: () => Result, onFailure?: (error: unknown) => void) {
  try {
    return work()
  } catch (error) {
    onFailure?.(error)
    return undefined
  }
}
