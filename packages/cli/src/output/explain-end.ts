/** Turns however a process of ours ends into one line for the person and one exit code for the script. */

import { scrub } from '@latchkey/protocol'
import { CannotStart, DatabaseBusy, DatabaseUnavailable } from '@latchkey/service/machine/errors'
import { escapeText } from '@latchkey/service/text'
import { CommanderError } from 'commander'
import { type ExitCode, exitCodes, Stop } from './stop.ts'

export function explainEnd(error: unknown): ExitCode {
  if (error instanceof CommanderError) return explainUsage(error)
  const line = error instanceof Error ? error.message : String(error)
  if (error instanceof Stop) return end(error.exitCode, line)
  if (isForeseen(error)) return end(exitCodes.unavailable, line)
  const name = error instanceof Error ? error.name : 'Error'
  return end(exitCodes.unavailable, `unexpected error: ${name}: ${line}`)
}

/** Something that a command needs is unavailable. Errors of object stores have names: few commands load them. */
function isForeseen(error: unknown): boolean {
  const kinds = [CannotStart, DatabaseUnavailable, DatabaseBusy]
  if (kinds.some((kind) => error instanceof kind)) return true
  return error instanceof Error && ['StoreUnavailable', 'DiskFull'].includes(error.name)
}

/** The end of a process that serves: one line, and where it broke if nobody foresaw it. */
export function explainBreakdown(error: unknown): ExitCode {
  const exitCode = explainEnd(error)
  if (isUnforeseen(error)) tellStack(error)
  return exitCode
}

function isUnforeseen(error: unknown): error is Error {
  const isExplained = [CommanderError, Stop].some((kind) => error instanceof kind)
  return error instanceof Error && !isExplained && !isForeseen(error)
}

/** Where a serving hub broke, for its operator; a command that fails has said all in one line. */
function tellStack({ stack = '' }: Error): void {
  const places = stack.split('\n').filter((line) => /^ +at /.test(line))
  for (const place of places) tellLine(place.trim())
}

/** Help and version have been printed already; mistakes have not. */
function explainUsage({ exitCode, code, message }: CommanderError): ExitCode {
  if (exitCode === 0) return exitCodes.done
  if (code === 'commander.help') return exitCodes.wrongUsage
  const line = message.replace(/^error: /, '').replaceAll('\n', ' ')
  return end(exitCodes.wrongUsage, line + dashHint(line))
}

/** Ids that begin with a dash exist: keys of earlier versions have them. */
function dashHint(line: string): string {
  const [, word] = /^unknown option '(-[^-].*?)'/.exec(line) ?? []
  return word === undefined
    ? ''
    : `; if that is a value and not an option, write it after "--": -- ${word}`
}

export function end(exitCode: ExitCode, line: string): ExitCode {
  if (line !== '') tellLine(line)
  return exitCode
}

function tellLine(line: string): void {
  process.stderr.write(`latchkey: ${escapeText(scrub(line))}\n`)
}
