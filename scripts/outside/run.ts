/** Programs as an outsider runs them: processes of their own, in an environment that is named whole. */

import { type ChildProcess, spawn } from 'node:child_process'

export interface Surroundings {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  output(): { readonly stdout: string; readonly stderr: string }
  readonly ended: Promise<Ended>
  /** Once it has, or fails when the program ends before. */
  said(pattern: RegExp): Promise<RegExpExecArray>
  /** As Ctrl+C does; killed if that is not enough. */
  stop(): Promise<Ended>
}

const patienceMs = 60_000

/** In a process group of its own, so that what it has started ends with it. */
export function start(
  program: string,
  words: readonly string[],
  { cwd, env }: Surroundings,
): Running {
  const child = spawn(program, words, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const parts = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    parts.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    parts.stderr += text
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...parts }))
  })
  ended.catch(() => undefined)
  return {
    child,
    output: () => ({ ...parts }),
    ended,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(parts.stdout + parts.stderr)
          if (found !== null) resolve(found)
        }
        child.stdout.on('data', look)
        child.stderr.on('data', look)
        look()
        ended.then(({ code }) => reject(new Error(`ended with ${code}: ${parts.stderr}`)), reject)
      }),
    async stop() {
      signalGroup(child, 'SIGINT')
      const kill = setTimeout(() => signalGroup(child, 'SIGKILL'), patienceMs)
      try {
        return await ended
      } finally {
        clearTimeout(kill)
      }
    },
  }
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  process.kill(-pid, signal)
}

/** To its end, which must be a good one. */
export async function run(
  program: string,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<Ended> {
  const ended = await start(program, words, surroundings).ended
  if (ended.code === 0) return ended
  throw new Error(`${[program, ...words].join(' ')}: ${ended.stdout}${ended.stderr}`)
}
