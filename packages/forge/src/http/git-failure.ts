/** What a client is told when git gives up on what it asked for. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { GitFailed } from '../git/index.ts'

/** Throws every other error again: that is a failure of ours. */
export function refuseForGit(error: unknown): Refusal {
  if (!(error instanceof GitFailed)) throw error
  if (error.reason === 'too-large') {
    return refuse('not_implemented', 'What was asked for is larger than this hub can show.', {
      reason: error.message,
    })
  }
  if (error.reason === 'deadline') {
    const detail = 'Git took too long to answer this. Try again in a moment.'
    return refuse('not_ready', detail, { retryAfterSeconds: 5 })
  }
  throw error
}
