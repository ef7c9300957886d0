/** Checks drafts of xorbs, on a thread: one at a time, because it reads and hashes without a pause. */

import { type Flaw, type Hash, isEligible, isFlaw } from '@latchkey/xet/format'
import type { Work } from '../threads/work.ts'
import { checkDraft } from './check-draft.ts'
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
