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

/** What the command calls a member of the input: `--expires-at` for `expiresAt`. */
export type NameOf = (member: string) => string | undefined

export function stopFor(refusal: Refusal, nameOf: NameOf = () => undefined): Stop {
  const { refused, missing } = refusal
  const line = lineOf(refusal, nameOf)
  const lacking = missing === undefined || line.includes(missing) ? '' : ` Missing: ${missing}.`
  const told = line + lacking
  if (unavailableCodes.includes(refused)) return new Stop(exitCodes.unavailable, told)
  return new Stop(refused === 'bad_request' ? exitCodes.wrongUsage : exitCodes.refused, told)
}

/** The sentence and the place of the mistake, in the words of the command where it has its own. */
function lineOf({ detail, path = '' }: Refusal, nameOf: NameOf): string {
  const [member = ''] = path.split(/[.[]/)
  const name = nameOf(member)
  if (name === undefined) return detail.startsWith(path) ? detail : `${path}: ${detail}`
  const rest = detail.startsWith(path) ? detail.slice(path.length + 1) : detail
  return `${name}: ${rest.replaceAll(`"${member}"`, name)}`
}
