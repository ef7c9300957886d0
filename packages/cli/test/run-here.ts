/** Runs a command in the process of the test, as `main.ts` does: a process of its own takes most of its time to load. */

import { Readable } from 'node:stream'
import { explainEnd } from '../src/output/explain-end.ts'
import { program } from '../src/program.ts'
import { type Ended, environmentOf, type Surroundings } from './run-latchkey.ts'

let last: Promise<unknown> = Promise.resolve()

/** For commands that end by themselves; one after the other. */
export function latchkeyHere(args: readonly string[], around: Surroundings): Promise<Ended> {
  const ended = last.then(() => run(args, around))
  last = ended.catch(() => {})
  return ended
}

async function run(args: readonly string[], around: Surroundings): Promise<Ended> {
  const before = { cwd: process.cwd(), env: process.env, exitCode: process.exitCode }
  const output = capture()
  process.chdir(around.cwd)
  process.env = environmentOf(around)
  process.exitCode = undefined
  const giveBack = standardInput(around.input ?? '')
  try {
    const command = await program(args)
    await command.parseAsync(args, { from: 'user' })
    return { code: Number(process.exitCode ?? 0), ...output.texts }
  } catch (error) {
    return { code: explainEnd(error), ...output.texts }
  } finally {
    output.release()
    giveBack()
    process.chdir(before.cwd)
    process.env = before.env
    process.exitCode = before.exitCode
  }
}

/** Ends after the text, as the input of a process does. */
function standardInput(text: string): () => void {
  const own = Object.getOwnPropertyDescriptor(process, 'stdin')
  Object.defineProperty(process, 'stdin', {
    value: Readable.from([Buffer.from(text)], { objectMode: false }),
    configurable: true,
  })
  return () => own && Object.defineProperty(process, 'stdin', own)
}

function capture() {
  const texts = { stdout: '', stderr: '' }
  const names = ['stdout', 'stderr'] as const
  const originals = names.map((name) => [name, process[name].write] as const)
  for (const name of names) {
    process[name].write = (text: string | Uint8Array) => {
      texts[name] += typeof text === 'string' ? text : Buffer.from(text).toString()
      return true
    }
  }
  return {
    texts,
    release() {
      for (const [name, write] of originals) process[name].write = write
    },
  }
}
