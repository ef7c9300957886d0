/** Programs as an outsider runs them: processes of their own, in an environment that is named whole. */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

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
  output(): { readonly stdout: string; readonly stderr: string }
  readonly ended: Promise<Ended>
  /** Resolves once its output matches; fails when the program ends before. */
  said(pattern: RegExp): Promise<RegExpExecArray>
  /** As Ctrl+C does; killed if that is not enough. */
  stop(): Promise<Ended>
}

const patienceMs = 60_000

/** In a process group of its own, so that its children end with it. */
export function start(
  program: string,
  words: readonly string[],
  { cwd, env }: Surroundings,
): Running {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
  const child = spawn(program, words, { cwd, env, stdio, detached: true })
  const output = collect(child)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...output() }))
  })
  // A failure is thrown where the end is awaited.
  ended.catch(() => undefined)
  return {
    output,
    ended,
    said: (pattern) => said(pattern, child, { output, ended }),
    stop: () => stop(child, ended),
  }
}

type Spawned = ChildProcessByStdio<null, Readable, Readable>

function collect({ stdout, stderr }: Spawned): Running['output'] {
  const texts = { stdout: '', stderr: '' }
  stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.stdout += text
  })
  stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.stderr += text
  })
  return () => ({ ...texts })
}

function said(
  pattern: RegExp,
  { stdout, stderr }: Spawned,
  { output, ended }: Pick<Running, 'output' | 'ended'>,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const texts = output()
      const found = pattern.exec(texts.stdout + texts.stderr)
      if (found !== null) resolve(found)
    }
    for (const stream of [stdout, stderr]) stream.on('data', look)
    look()
    ended.then((end) => reject(new Error(`ended with ${end.code}: ${end.stderr}`)), reject)
  })
}

async function stop(child: Spawned, ended: Promise<Ended>): Promise<Ended> {
  signalGroup(child, 'SIGINT')
  const kill = setTimeout(() => signalGroup(child, 'SIGKILL'), patienceMs)
  try {
    return await ended
  } finally {
    clearTimeout(kill)
  }
}

function signalGroup({ pid, exitCode, signalCode }: Spawned, signal: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  process.kill(-pid, signal)
}

/** To its end, which must be without failure. */
export async function run(
  program: string,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<Ended> {
  const ended = await start(program, words, surroundings).ended
  if (ended.code === 0) return ended
  throw new Error(`${[program, ...words].join(' ')}: ${ended.stdout}${ended.stderr}`)
}
