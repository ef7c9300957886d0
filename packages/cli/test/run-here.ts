/** Runs a command in the process of the test, as `main.ts` does: a process of its own takes most of its time to load. */

import { Readable } from 'node:stream'
import * as tls from 'node:tls'
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
  const output = capture()
  const undo = [
    exitLater(),
    keepListeners(process.stdout),
    keepListeners(process.stderr),
    output.release,
    surround(around),
    standardInput(around.input ?? ''),
    keepTrusted(),
  ]
  try {
    const command = await program(args)
    await command.parseAsync(args, { from: 'user' })
    return { code: Number(process.exitCode ?? 0), ...output.texts }
  } catch (error) {
    return { code: explainEnd(error), ...output.texts }
  } finally {
    for (const step of undo) step()
  }
}

function surround(around: Surroundings): () => void {
  const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode }
  process.chdir(around.cwd)
  setEnvironment(environmentOf(around))
  process.exitCode = undefined
  return () => {
    process.chdir(before.cwd)
    setEnvironment(before.env)
    process.exitCode = before.exitCode
  }
}

/** In place: another object would not reach the system, and `homedir()` would name the home of the person who tests. */
function setEnvironment(wanted: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, wanted)
}

/** Does what the command has left for the end of its process; a signal that comes later is meant for the tests. */
function exitLater(): () => void {
  const names = ['exit', 'SIGHUP', 'SIGINT', 'SIGTERM'] as const
  const before = new Set(names.flatMap((name) => process.listeners(name)))
  return () => {
    for (const name of names) {
      for (const listener of process.listeners(name)) {
        if (before.has(listener)) continue
        process.off(name, listener)
        if (name === 'exit') listener.call(process, 0)
      }
    }
  }
}

/** A stream of this process outlives the command. */
function keepListeners(stream: NodeJS.WriteStream): () => void {
  const before = new Set(stream.eventNames().flatMap((name) => stream.rawListeners(name)))
  return () => {
    for (const name of stream.eventNames()) {
      for (const listener of stream.rawListeners(name)) {
        if (!before.has(listener)) stream.off(name, listener as () => void)
      }
    }
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

/** `--ca-cert` counts for one command. */
function keepTrusted(): () => void {
  const before = tls.getCACertificates('default')
  return () => {
    // Reading all of them again takes some 15 ms.
    if (tls.getCACertificates('default') !== before) tls.setDefaultCACertificates(before)
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
