/** A refusal as the end of a command: its sentence, and the exit code that its code deserves. */

import type { Refusal, RefusalCode } from '@latchkey/protocol'
import { exitCodes, Stop } from '../stop.ts'

/** Not a decision about what was asked: the service itself could not do its work. */
const unavailableCodes: readonly RefusalCode[] = [
  'internal_error',
  'stopping',
  'storage_full',
  'request_timeout',
]

export function stopFor({ refused, detail, missing }: Refusal): Stop {
  const line = missing === undefined ? detail : `${detail} Missing: ${missing}.`
  if (unavailableCodes.includes(refused)) return new Stop(exitCodes.unavailable, line)
  return new Stop(refused === 'bad_request' ? exitCodes.wrongUsage : exitCodes.refused, line)
}
