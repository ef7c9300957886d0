/** Runs the command that was typed, and turns however it ends into one line and an exit code. */

import { end, explainBreakdown, explainEnd } from './output/explain-end.ts'
import { reasonOf } from './output/new-file.ts'
import { exitCodes } from './output/stop.ts'
import { program } from './program.ts'

// Who reads our output may stop reading at any time; what is lost in any other way is told.
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') return
  process.exit(end(exitCodes.unavailable, `standard output cannot be written: ${reasonOf(error)}`))
})
process.stderr.on('error', () => {})
process.on('uncaughtException', (error) => process.exit(explainBreakdown(error)))

// The kernel takes all memory back at once; V8 would do it piece by piece, which takes a transfer some 20 ms.
process.once('beforeExit', () => process.exit())

let isOver = false
process.once('exit', () => {
  // Nothing was left to wait for, and still the work was not done.
  if (isOver || process.exitCode !== undefined) return
  process.exitCode = end(exitCodes.unavailable, 'the command ended before its work was done')
})

try {
  const words = askForHelp(process.argv.slice(2))
  const latchkey = await program(words)
  await latchkey.parseAsync(words, { from: 'user' })
} catch (error) {
  process.exitCode = explainEnd(error)
}
isOver = true

/** `help storage gc` is `storage gc --help`; the parser's own `help` looks at one word. */
function askForHelp(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words
  return first === 'help' && rest.length > 1 ? [...rest, '--help'] : words
}
