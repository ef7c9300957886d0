/** Gives a git process its input, no faster than it reads. */

import type { Writable } from 'node:stream'
import type { GitProcess } from './start-git.ts'

export type Input = string | Uint8Array | AsyncIterable<Uint8Array>

/** Never rejects: input that breaks off kills git with the reason, since its end would look like the end of the file. */
export async function feed(process: GitProcess, input: Input): Promise<void> {
  const { stdin } = process
  if (typeof input === 'string' || input instanceof Uint8Array) {
    stdin.end(input)
    return
  }
  try {
    for await (const part of input) {
      if (stdin.destroyed) return
      if (!stdin.write(part)) await drained(stdin)
    }
    stdin.end()
  } catch (error) {
    process.kill(error)
  }
}

/** Or closed, by a process that reads no more. */
function drained(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      stdin.off('drain', go).off('close', go)
      resolve()
    }
    stdin.on('drain', go).on('close', go)
    if (stdin.destroyed) go()
  })
}
