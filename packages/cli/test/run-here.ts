/** Runs a command in the process of the test, as `main.ts` does: a process of its own takes most of its time to load. */

import { explainEnd } from '../src/output/explain-end.ts'
import { program } from '../src/program.ts'
import { type Ended, environmentOf, latchkey, type Surroundings } from './run-latchkey.ts'

let last: Promise<unknown> = Promise.resolve()

/** For commands that end by themselves; one after the other. One that reads standard input gets a process. */
export function latchkeyHere(args: readonly string[], around: Surroundings): Promise<Ended> {
  if (around.input !== undefined) return latchkey(args, around)
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
  try {
    const command = await program(args)
    await command.parseAsync(args, { from: 'user' })
    return { code: Number(process.exitCode ?? 0), ...output.texts }
  } catch (error) {
    return { code: explainEnd(error), ...output.texts }
  } finally {
    output.release()
    process.chdir(before.cwd)
    process.env = before.env
    process.exitCode = before.exitCode
  }
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
