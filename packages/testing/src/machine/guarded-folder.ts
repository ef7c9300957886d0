/** A folder that does not outlive the process that made it, even if that is killed; nor does the server inside. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { handOver, unprivileged } from './run-unprivileged.ts'

export interface GuardedFolder {
  readonly path: string
  /** Ends the server at once. */
  remove(): Promise<void>
}

export interface Server {
  /** Below the folder, with the process id in its first line, gone when the server has ended. */
  readonly pidFile: string
  /** The one that ends it at once. */
  readonly signal: NodeJS.Signals
  /** Whether it runs as the user of the test, and not as the one without rights. */
  readonly isOfOurUser?: boolean
}

/** Waits for the end of its input, which comes with the end of our process, however that ends. */
const guard = `
cat > /dev/null
signal=$3
for round in 1 2; do
  pid=$(head -n 1 "$1/$2" 2> /dev/null) && kill -s "$signal" "$pid" || break
  tries=0
  while [ -e "$1/$2" ] && kill -0 "$pid" 2> /dev/null && [ $tries -lt 300 ]; do sleep 0.05; tries=$((tries + 1)); done
  signal=KILL
done
tries=0
until rm -rf "$1" || [ $tries -gt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
`

export function guardedFolder({ pidFile, signal, isOfOurUser = false }: Server): GuardedFolder {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-server-'))
  if (!isOfOurUser) handOver(path)
  const words = ['-c', guard, 'guard', path, pidFile, signal.replace('SIG', '')]
  const guardian = spawn('/bin/sh', words, {
    cwd: '/',
    // Ctrl-C in the terminal must not end the guard before its work.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    ...(isOfOurUser ? {} : unprivileged),
  })
  const ended = once(guardian, 'exit')
  // A process that forgets the folder may end; that removes it.
  guardian.unref()
  const input = guardian.stdin as Socket
  input.unref()
  return {
    path,
    async remove() {
      guardian.ref()
      input.end()
      await ended
    },
  }
}
