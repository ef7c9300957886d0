/** Checks drafts of xorbs, on a thread: one at a time, because it reads and hashes without a pause. */

import {
  type CheckedChunks,
  checkXorb,
  type FormatError,
  type Hash,
  isEligible,
  isFormatError,
} from '@latchkey/xet/format'
import type { ObjectsPlace, OpenDraft } from '../objects/object-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import type { Work } from '../threads/work.ts'
import type { CheckedXorb, CheckTask } from './xorb-checker.ts'

export async function openWork(
  place: ObjectsPlace,
): Promise<Work<CheckTask, never, CheckedXorb | FormatError>> {
  const { openDraft } = await openObjects(place)
  return async ({ draft, expected }) => checkXorbDraft(openDraft(draft), expected)
}

/** One in 1024 is eligible; a client that makes such chunks by searching gets no more rows for it. */
const maxAsked = 64

export function checkXorbDraft(draft: OpenDraft, expected: Hash): CheckedXorb | FormatError {
  const checked = checkDraft(draft, expected)
  if (isFormatError(checked)) return checked
  const { table, packedBytes, unpackedBytes } = checked
  const indexes = Array.from({ length: table.count }, (_, index) => index)
  // The first one always: a client that was broken off asks for it, and finds the whole xorb again.
  const eligibleIndexes = indexes.filter(
    (index) => index === 0 || isEligible(table.hashBytes(index)),
  )
  return {
    digest: checked.digest as CheckedXorb['digest'],
    packedBytes,
    unpackedBytes,
    chunks: table.count,
    askedChunks: [...new Set(eligibleIndexes.map((index) => table.hash(index)))].slice(0, maxAsked),
  }
}

/** Checks the xorb in a draft and makes an object of it: the chunks, then their table. */
function checkDraft(draft: OpenDraft, expected: Hash): CheckedChunks | FormatError {
  try {
    const checked = checkXorb(draft.read, expected)
    if (!isFormatError(checked)) draft.complete(checked.table)
    return checked
  } finally {
    draft.close()
  }
}
