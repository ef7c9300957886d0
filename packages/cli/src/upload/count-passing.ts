/** Counts the bytes of all files of an upload as they pass. */

import type { ProgressBar } from '../transfer/progress-bar.ts'
import type { Source } from './source.ts'

type OnProgress = ProgressBar['watch']['onReadProgress']

/** Gives what opens a source; the total is known where all sizes are. */
export function countPassing(
  sources: readonly Source[],
  onProgress: OnProgress = () => {},
): (source: Source) => AsyncIterable<Uint8Array> {
  const total = sources.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  )
  let passed = 0
  return async function* (source) {
    const parts = source.open()[Symbol.asyncIterator]()
    try {
      let memory: unknown
      for (;;) {
        const { done, value } = await parts.next(memory)
        if (done) return
        // The memory that the reader wants the next part in.
        memory = yield value
        passed += value.length
        onProgress(passed, total)
      }
    } finally {
      await parts.return?.()
    }
  }
}
