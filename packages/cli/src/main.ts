/** Runs the command that was typed, and turns however it ends into one line and an exit code. */

import { scrub } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/cannot-start'
import { CommanderError } from 'commander'
import { escapeText } from './output/escape.ts'
import { reasonOf } from './output/new-file.ts'
import { type ExitCode, exitCodes, Stop } from './output/stop.ts'
import { program } from './program.ts'

// Who reads our output may stop reading at any time; what is lost in any other way is told.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') return
  process.exit(end(exitCodes.unavailable, `standard output cannot be written: ${reasonOf(error)}`))
})
process.stderr.on('error', () => {})
process.on('uncaughtException', (error) => {
  const exitCode = explainEnd(error)
  if (isUnforeseen(error)) tellStack(error)
  process.exit(exitCode)
})

try {
  const words = askForHelp(process.argv.slice(2))
  const latchkey = await program(words)
  await latchkey.parseAsync(words, { from: 'user' })
} catch (error) {
  process.exitCode = explainEnd(error)
}

/** `help storage gc` is `storage gc --help`; the parser's own `help` looks at one word. */
function askForHelp(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words
  return first === 'help' && rest.length > 1 ? [...rest, '--help'] : words
}

function explainEnd(error: unknown): ExitCode {
  if (error instanceof CommanderError) return explainUsage(error)
  const line = error instanceof Error ? error.message : String(error)
  if (error instanceof Stop) return end(error.exitCode, line)
  if (error instanceof CannotStart) return end(exitCodes.unavailable, line)
  const name = error instanceof Error ? error.name : 'Error'
  return end(exitCodes.unavailable, `something went wrong that should not: ${name}: ${line}`)
}

function isUnforeseen(error: unknown): error is Error {
  const foreseen = [CommanderError, Stop, CannotStart]
  return error instanceof Error && !foreseen.some((kind) => error instanceof kind)
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
  return end(exitCodes.wrongUsage, message.replace(/^error: /, '').replaceAll('\n', ' '))
}

function end(exitCode: ExitCode, line: string): ExitCode {
  if (line !== '') tellLine(line)
  return exitCode
}

function tellLine(line: string): void {
  process.stderr.write(`latchkey: ${escapeText(scrub(line))}\n`)
}
