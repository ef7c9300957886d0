/** Spawns the process of a storage, with the pipes on which it is told things and answers. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { flagsFor } from '@latchkey/service/machine/source-flags'
import { childEnvironment } from './child-environment.ts'
import { codeIn, endWithParent, nodeFlags } from './end-of-process.ts'

const entry = fileURLToPath(new URL('./storage-child.ts', import.meta.url))

/**
 * Orders go in by the first pipe, log lines come out by the second, messages by the fourth. Gives the system's code when
 * the machine has no process, file or memory left for it: the hub must go on.
 */
export function spawnStorage(): ChildProcess | Promise<string> {
  try {
    const child = spawn(process.execPath, [...nodeFlags(), ...flagsFor(entry), entry], {
      env: childEnvironment(process.env),
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    })
    // A child without an id has no pipes either, and tells the reason by an event.
    if (child.pid === undefined) return once(child, 'error').then(([error]) => codeIn(error))
    endWithParent(child)
    return child
  } catch (error) {
    return Promise.resolve(codeIn(error))
  }
}
