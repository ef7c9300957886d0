/** Checks drafts of xorbs, on a thread: one at a time, because it reads and hashes without a pause. */

import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import {
  type CheckedChunks,
  checkXorb,
  type Flaw,
  type Hash,
  isEligible,
  isFlaw,
} from '@latchkey/xet/format'
import type { Work } from '../threads/work.ts'
import type { CheckedXorb, CheckTask } from './check-task.ts'

export function openWork(): Work<CheckTask, never, CheckedXorb | Flaw> {
  return async ({ file, expected }) => check(file, expected)
}

/** One in 1024 is eligible; a client that makes such chunks by searching gets no more rows for it. */
const mostAsked = 64

function check(file: string, expected: Hash): CheckedXorb | Flaw {
  const checked = checkDraft(file, expected)
  if (isFlaw(checked)) return checked
  const { table, packedBytes, unpackedBytes } = checked
  const indexes = Array.from({ length: table.count }, (_, index) => index)
  // The first one always: a client that was broken off asks for it, and finds the whole xorb again.
  const asked = indexes.filter((index) => index === 0 || isEligible(table.hashBytes(index)))
  return {
    digest: checked.digest as CheckedXorb['digest'],
    packedBytes,
    unpackedBytes,
    chunks: table.count,
    askedChunks: [...new Set(asked.map((index) => table.hash(index)))].slice(0, mostAsked),
  }
}

/** Checks the xorb in a file and makes an object of it: the chunks, then their table. */
function checkDraft(file: string, expected: Hash): CheckedChunks | Flaw {
  const descriptor = openSync(file, 'r+')
  try {
    const checked = checkXorb((into) => readSync(descriptor, into), expected)
    if (isFlaw(checked)) return checked
    // Whatever the client put behind the chunks goes.
    ftruncateSync(descriptor, checked.packedBytes)
    writeAll(descriptor, checked.table.encoded(), checked.packedBytes)
    return checked
  } finally {
    closeSync(descriptor)
  }
}

function writeAll(descriptor: number, bytes: Uint8Array, position: number): void {
  let written = 0
  while (written < bytes.length) {
    const left = bytes.length - written
    written += writeSync(descriptor, bytes, written, left, position + written)
  }
}
