/** A file for a secret or a backup: made by us, for its owner only, and never over another one. */

import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { quoteGiven } from '@latchkey/service/text'
import { refused, type Stop, unavailable } from './stop.ts'

interface NewFile {
  /** Writes the text and makes sure that it is on the disk. */
  finish(text: string): void
  /** Removes the file: what it was meant for did not happen. */
  discard(): void
}

/** Made before the change whose result it takes, so that a secret never has nowhere to go. */
export function createNewFile(file: string): NewFile {
  const descriptor = openNew(file)
  return {
    finish(text) {
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
      closeSync(descriptor)
    },
    discard() {
      closeSync(descriptor)
      unlinkSync(file)
    },
  }
}

function openNew(file: string): number {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

export function cannotWrite(file: string, error: unknown): Stop {
  const reason = reasonOf(error)
  const line = `${quoteGiven(file)} cannot be written: ${reason}`
  return reason === reasons.get('EEXIST') ? refused(line) : unavailable(line)
}

const reasons = new Map([
  ['EEXIST', 'it exists already, and is not overwritten'],
  ['ENOENT', 'its directory does not exist'],
  ['ENOTDIR', 'a part of its path is a file where a directory is needed'],
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['EROFS', 'the file system is read-only'],
  ['EISDIR', 'it is a directory'],
  ['ENOSPC', 'there is no room left on the disk'],
])

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed'
  return ('code' in error ? reasons.get(String(error.code)) : undefined) ?? error.message
}

/** A file that is replaced as a whole or not at all: written beside it, and renamed once it is complete. */
interface FileDraft {
  readonly descriptor: number
  /** Syncs the written bytes to the disk, then renames the file to its final name. */
  keep(): void
}

/** A draft that was not kept goes when the process ends, however it does, unless it is killed. */
export function createDraft(file: string, mode: number): FileDraft {
  const path = join(dirname(file), `.latchkey-${randomBytes(8).toString('hex')}`)
  const descriptor = openSync(path, 'wx', mode)
  const remove = () => rmSync(path, { force: true })
  process.once('exit', remove)
  return {
    descriptor,
    keep() {
      fsyncSync(descriptor)
      closeSync(descriptor)
      renameSync(path, file)
      process.off('exit', remove)
    },
  }
}
