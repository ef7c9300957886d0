/** Reads back what a client has put into the store and checks it, on threads of its own. */

import type { FormatError, Hash } from '@latchkey/xet/format'
import type { CheckedXorb } from '../checking/xorb-checker.ts'
import { unlessFull } from '../objects/file-errors.ts'
import type { DraftId, ObjectKey, ObjectsPlace } from '../objects/object-store.ts'
import type { OpenPool } from '../threads/thread-pool.ts'

export interface ReadBackTask {
  readonly key: ObjectKey
  readonly bytes: number
  readonly expected: Hash
  /** The name of the draft that it writes. */
  readonly draft: DraftId
}

export interface ReadBack {
  /** The draft has the bytes and their chunk table afterwards; with a flaw it is to be discarded. */
  check(task: ReadBackTask, signal: AbortSignal): Promise<CheckedXorb | FormatError>
  close(): Promise<void>
}

/** One that waits for the store keeps no other waiting. */
const tasksEach = 4

export function readsBack(openPool: OpenPool, data: ObjectsPlace, threads: number): ReadBack {
  const module = new URL('./read-back-work.ts', import.meta.url)
  const pool = openPool<ReadBackTask, never, CheckedXorb | FormatError>({
    ...{ module, data, threads, tasksEach },
  })
  return {
    check: (task, signal) => unlessFull(() => pool.run(task, { signal })),
    close: pool.close,
  }
}
