/** A refusal as the end of a command: its sentence, and the exit code that its code deserves. */

import type { Refusal, RefusalCode } from '@latchkey/protocol'
import { exitCodes, Stop } from '../output/stop.ts'

/** Not a decision about what was asked: the service itself could not do its work. */
const unavailableCodes: readonly RefusalCode[] = [
  'internal_error',
  'stopping',
  'not_ready',
  'storage_full',
  'request_timeout',
]

export function stopFor({ refused, detail, missing, path = '' }: Refusal): Stop {
  const place = detail.startsWith(path) ? '' : `${path}: `
  const lacking = missing === undefined || detail.includes(missing) ? '' : ` Missing: ${missing}.`
  const line = place + detail + lacking
  if (unavailableCodes.includes(refused)) return new Stop(exitCodes.unavailable, line)
  return new Stop(refused === 'bad_request' ? exitCodes.wrongUsage : exitCodes.refused, line)
}
