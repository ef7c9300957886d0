/** The one line that a mistake in what was typed ends with, without a process of its own. */

import { CommanderError } from 'commander'
import { Stop } from '../src/output/stop.ts'
import { program } from '../src/program.ts'

/** Only for what is told before anything is read or asked. */
export async function mistakeOf(...args: readonly string[]): Promise<string> {
  try {
    const latchkey = await program(args)
    await latchkey.parseAsync(['node', 'latchkey', ...args])
  } catch (error) {
    if (error instanceof CommanderError) return error.message
    if (error instanceof Stop && error.exitCode === 2) return error.message
    throw error
  }
  throw new Error('nothing was wrong')
}
