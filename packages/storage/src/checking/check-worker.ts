/** One thread that checks drafts, one at a time. */

import { parentPort } from 'node:worker_threads'
import { type Flaw, type Hash, isEligible, isFlaw } from '@latchkey/xet/format'
import { checkDraft } from './check-draft.ts'
import type { CheckedXorb, CheckTask, Outcome } from './check-task.ts'

parentPort?.on('message', (task: CheckTask) => parentPort?.postMessage(outcomeOf(task)))

/** Files fail for reasons of their own; the thread goes on. */
function outcomeOf({ file, expected }: CheckTask): Outcome {
  try {
    return check(file, expected)
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { failed: message, code }
  }
}

/** One in 1024 is; whoever makes them by searching gets no more rows for it. */
const mostEligible = 64

function check(file: string, expected: Hash): CheckedXorb | Flaw {
  const checked = checkDraft(file, expected)
  if (isFlaw(checked)) return checked
  const { table, packedBytes, unpackedBytes } = checked
  const indexes = Array.from({ length: table.count }, (_, index) => index)
  const eligible = indexes.filter((index) => isEligible(table.hashBytes(index)))
  return {
    digest: checked.digest as CheckedXorb['digest'],
    packedBytes,
    unpackedBytes,
    chunks: table.count,
    eligibleChunks: [...new Set(eligible.map((index) => table.hash(index)))].slice(0, mostEligible),
  }
}
