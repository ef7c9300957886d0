/** A file for a secret or a backup: made by us, for its owner only, and never over another one. */

import { closeSync, fsyncSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { quoteGiven } from '@latchkey/service/text/escape'
import { refused, type Stop, unavailable } from './stop.ts'

export interface NewFile {
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
