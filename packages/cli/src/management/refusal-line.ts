/** A refusal as the end of a command: its sentence, and the exit code that its code deserves. */

import type { Refusal, RefusalCode } from '@latchkey/protocol'
import { typedWord } from '@latchkey/service/text'
import { placeFlags } from '../configuration/flags.ts'
import type { Flags } from '../configuration/read-configuration.ts'
import { exitCodes, Stop } from '../output/stop.ts'

/** Not a decision about what was asked: the service itself could not do its work. */
const unavailableCodes: readonly RefusalCode[] = [
  'internal_error',
  'stopping',
  'not_ready',
  'storage_full',
  'request_timeout',
]

/** The command's name of a member of the input: `--expires-at` for `expiresAt`. */
type NameOf = (member: string) => string | undefined

/** The part of the input that a refusal can be about. */
export interface TypedInput {
  readonly nameOf?: NameOf
  /** The words of the command: `ref set`. */
  readonly words?: string
  readonly flags?: Flags
}

/** Refusals after which the input, or the file that it names, has to change. */
const aboutInput: readonly RefusalCode[] = ['bad_request', 'conflict', 'resource_not_found']

export function stopFor(refusal: Refusal, typed: TypedInput = {}): Stop {
  const { code, missing } = refusal
  const line = lineOf(refusal, typed.nameOf ?? (() => undefined))
  const lacking = missing === undefined || line.includes(missing) ? '' : ` Missing: ${missing}.`
  const message = line + lacking + nextOf(refusal, typed)
  if (unavailableCodes.includes(code)) return new Stop(exitCodes.unavailable, message)
  return new Stop(code === 'bad_request' ? exitCodes.wrongUsage : exitCodes.refused, message)
}

/** The sentence and the place of the mistake, in the words of the command where it has its own. */
function lineOf({ detail, path = '' }: Refusal, nameOf: NameOf): string {
  const [member = ''] = path.split(/[.[]/)
  const name = nameOf(member)
  if (name === undefined) return detail.startsWith(path) ? detail : `${path}: ${detail}`
  const rest = detail.startsWith(path) ? detail.slice(path.length + 1) : detail
  return `${name}: ${rest.replaceAll(`"${member}"`, name)}`
}

/** A command to paste; where none is named, the help of the same command. */
function nextOf({ code, next }: Refusal, { words, flags = {} }: TypedInput): string {
  const isHelp = next === undefined && words !== undefined && aboutInput.includes(code)
  const named = isHelp ? [...words.split(' '), '--help'] : next
  if (named === undefined || named.length === 0) return ''
  return ` Next: ${commandLine(named, isHelp ? {} : flags)}`
}

/** About the same hub or data as the command that has the flags. */
export function commandLine(words: readonly string[], flags: Flags): string {
  return ['latchkey', ...words.map(typedWord), ...placeFlags(flags)].join(' ')
}
