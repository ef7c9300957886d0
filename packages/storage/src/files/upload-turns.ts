/** One request at a time for each upload: a newer one ends those before it, which the client may have lost. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { keyedTurns } from '@latchkey/service/limits/turns'

export interface UploadTurns {
  /** `stop` ends the work where a newer request comes; so does the signal, which the work gets. */
  take<Result>(turn: UploadTurn, work: (ended: AbortSignal) => Promise<Result>): Promise<Result>
}

export interface UploadTurn {
  readonly key: string
  stop(refusal: Refusal): void
}

export function uploadTurns(): UploadTurns {
  const { alone } = keyedTurns<string>()
  const newest = new Map<string, () => void>()
  return {
    async take({ key, stop }, work) {
      const ended = new AbortController()
      const end = () => {
        stop(takenOver)
        ended.abort(takenOver)
      }
      newest.get(key)?.()
      newest.set(key, end)
      try {
        return await alone(key, () => work(ended.signal))
      } finally {
        if (newest.get(key) === end) newest.delete(key)
      }
    },
  }
}

export const takenOver = refuse(
  'conflict',
  'A newer request with the ID of this upload has ended this one. Its bytes are kept; send one request at a time.',
)
