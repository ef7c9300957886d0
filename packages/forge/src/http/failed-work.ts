/** Failures of the machine that a client is told as what they are. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { BodyTooSlow } from '@latchkey/service/http/body-pace'
import { BodyTooLarge } from '@latchkey/service/http/read-json-body'
import { GitBusy, GitFailed } from '../git/index.ts'
import { BodyUnreadable } from './bodies.ts'

const noRoom = /No space left on device|Disk quota exceeded/

const expected = [GitBusy, BodyTooLarge, BodyTooSlow, BodyUnreadable] as const

/** For what clients do, and no operator needs to know. */
export function refusalOfClient(error: unknown): Refusal | undefined {
  const kind = expected.find((one) => error instanceof one)
  return kind && (error as InstanceType<typeof kind>).refusal
}

/** Undefined for a failure that only the log explains. */
export function refusalOfFailure(error: unknown): Refusal | undefined {
  if (isFull(error)) {
    return refuse('storage_full', 'There is no room left to write; nothing was changed.')
  }
  if (!(error instanceof GitFailed)) return undefined
  if (error.reason === 'too-large') {
    const detail = 'What was asked for is larger than this hub can show.'
    return refuse('not_implemented', detail, { reason: error.message })
  }
  if (error.reason === 'deadline') {
    const detail =
      'Git took too long on this machine. Try again; if it stays so, tell the operator.'
    return refuse('not_ready', detail, { retryAfterSeconds: 30 })
  }
  return undefined
}

function isFull(error: unknown): boolean {
  if (error instanceof GitFailed) return noRoom.test(error.stderr)
  return error instanceof Error && 'code' in error && /^(?:ENOSPC|EDQUOT)$/.test(String(error.code))
}
