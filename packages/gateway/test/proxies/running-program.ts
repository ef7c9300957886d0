/** A server program on a free port of this machine, ended by its own process id. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '@latchkey/testing/machine/free-port'
import { searchPath } from '@latchkey/testing/tools/find-program'

export interface RunningProgram {
  readonly url: string
  /** A folder of its own, removed at the end. */
  readonly folder: string
  /** What it has said so far. */
  said(): string
  stop(): Promise<void>
}

export interface Command {
  readonly program: string
  readonly args: readonly string[]
}

/** `prepare` writes the configuration for this port into this folder, and says how to start. */
export async function runProgram(
  prepare: (folder: string, port: number) => Command,
): Promise<RunningProgram> {
  for (let attempt = 1; ; attempt += 1) {
    const started = await start(prepare)
    if (typeof started !== 'string') return started
    // Somebody else was quicker to take the port that was free a moment ago.
    if (attempt === 3 || !isTaken(started)) throw new Error(started)
  }
}

function isTaken(said: string): boolean {
  return /address already in use/i.test(said)
}

/** What the program said, when it did not start. */
async function start(
  prepare: (folder: string, port: number) => Command,
): Promise<RunningProgram | string> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-proxy-'))
  const port = await freePort()
  const { program, args } = prepare(folder, port)
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: searchPath(), HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const ended = once(child, 'exit')
  const kill = () => void child.kill('SIGTERM')
  process.once('exit', kill)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop = async () => {
    if (!hasEnded()) kill()
    await ended
    process.off('exit', kill)
    rmSync(folder, { recursive: true, force: true })
  }
  while (!hasEnded() && !isTaken(said) && !(await listens(port))) await wait(20)
  if (hasEnded() || isTaken(said)) {
    await stop()
    return said
  }
  return { url: `http://127.0.0.1:${port}`, folder, said: () => said, stop }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (yes: boolean) => () => {
      socket.destroy()
      resolve(yes)
    }
    socket.once('connect', answer(true)).once('error', answer(false))
  })
}
