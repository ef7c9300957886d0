/** One git process: in a group of its own, with an end in time and a bound on what it says. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { gathered } from './gather.ts'
import { GitFailed } from './git-errors.ts'

export interface GitStart {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Infinity for a process whose owner ends it. */
  readonly deadlineMs: number
  readonly cpuSeconds?: number | undefined
  /** Address space. Where the system has no such bound, there is none. */
  readonly memoryBytes?: number | undefined
  readonly maxBytes: number
  /** An exit code beside 0 that is no failure. */
  readonly otherExit?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface GitProcess {
  readonly stdin: Writable
  /** All it says. Ends well only if git does; kills git if the reader stops early. */
  output(): AsyncGenerator<Buffer, void, undefined>
  /** The same in larger parts, for a stream to a client. */
  largeOutput(): AsyncGenerator<Buffer, void, undefined>
  /** When the process is gone. Rejects if it failed or was killed. */
  readonly ended: Promise<void>
  /** Ends git and the processes that it has started. */
  kill(why: unknown): void
  /** From now on only the new deadline ends it. */
  letFinish(deadlineMs: number): void
}

/** On SIGTERM git removes its lock files. A process that has not ended after this long is killed. */
const graceMs = 1000
const maxStderrBytes = 8192

export function startGit({ program, args, cwd, env, ...limits }: GitStart): GitProcess {
  const [command = ''] = args
  const { signal, maxBytes } = limits
  signal?.throwIfAborted()
  const [file, ...all] = limited([program, ...args], limits)
  const child = spawn(file, all, { cwd, env, detached: true, stdio: 'pipe' })
  const readStderr = firstBytesOf(child)
  let isOver = false
  let stopped: { readonly why: unknown } | undefined
  let grace: NodeJS.Timeout | undefined

  const kill = (why: unknown) => {
    if (isOver || stopped !== undefined) return
    stopped = { why }
    killGroup(child, 'SIGTERM')
    grace = setTimeout(() => killGroup(child, 'SIGKILL'), graceMs)
  }
  const late = () => kill(new GitFailed('deadline', `${command} took too long`))
  const abort = () => kill(signal?.reason)
  let deadline = timer(late, limits.deadlineMs)
  signal?.addEventListener('abort', abort, { once: true })

  const ended = exitOf(child, command, limits.otherExit).then(async (problem) => {
    isOver = true
    clearTimeout(deadline)
    clearTimeout(grace)
    signal?.removeEventListener('abort', abort)
    if (stopped !== undefined) throw stopped.why
    if (problem !== undefined) {
      throw new GitFailed(problem.reason, problem.what, await readStderr())
    }
  })
  ended.catch(() => {})
  // A process that ends before it has read all its input is judged by how it ends.
  child.stdin.on('error', () => {})

  const read = async function* (parts: AsyncIterable<Buffer>) {
    let bytes = 0
    try {
      for await (const part of parts) {
        bytes += part.length
        if (bytes > maxBytes) throw new GitFailed('too-large', `${command} said too much`)
        yield part
      }
      await ended
    } catch (error) {
      kill(error)
      throw error
    } finally {
      kill(new GitFailed('closed', `${command} was left`))
    }
  }
  return {
    stdin: child.stdin,
    ended,
    kill,
    output: () => read(child.stdout),
    largeOutput: () => read(gathered(child.stdout)),
    letFinish(deadlineMs) {
      if (isOver) return
      signal?.removeEventListener('abort', abort)
      clearTimeout(deadline)
      deadline = timer(late, deadlineMs)
    },
  }
}

function timer(act: () => void, ms: number): NodeJS.Timeout | undefined {
  return Number.isFinite(ms) ? setTimeout(act, ms) : undefined
}

/** Only while the leader is there: afterwards its number may be that of another group. */
function killGroup(
  { pid, exitCode, signalCode }: ChildProcessWithoutNullStreams,
  how: 'SIGTERM' | 'SIGKILL',
): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, how)
  } catch {
    // It has ended meanwhile.
  }
}

/** The shell sets the bounds and becomes git, which a signal ends at the bound of its processor time. */
function limited(
  words: readonly string[],
  { cpuSeconds, memoryBytes }: Pick<GitStart, 'cpuSeconds' | 'memoryBytes'>,
): [string, ...string[]] {
  const [program = '', ...args] = words
  if (cpuSeconds === undefined && memoryBytes === undefined) return [program, ...args]
  const bounds = [
    'ulimit -c 0',
    ...(memoryBytes === undefined ? [] : [`ulimit -v ${memoryBytes / 1024} 2>/dev/null`]),
    ...(cpuSeconds === undefined ? [] : [`ulimit -S -t ${cpuSeconds} || exit`]),
  ]
  return ['/bin/sh', '-c', `${bounds.join('; ')}; exec "$0" "$@"`, program, ...args]
}

interface Problem {
  readonly reason: 'start' | 'exit' | 'cpu' | 'crash'
  readonly what: string
}

function exitOf(
  child: ChildProcessWithoutNullStreams,
  command: string,
  otherExit: number | undefined,
): Promise<Problem | undefined> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) =>
      resolve({ reason: 'start', what: `could not be started: ${message}` }),
    )
    child.once('exit', (code, by) => {
      const isWell = code === 0 || (code !== null && code === otherExit)
      const reason = by === null ? 'exit' : by === 'SIGXCPU' ? 'cpu' : 'crash'
      resolve(isWell ? undefined : { reason, what: `${command} ended with ${code ?? by}` })
    })
  })
}

/** Read to its end, so that git never waits for it; only the beginning is kept. */
function firstBytesOf({ stderr }: ChildProcessWithoutNullStreams): () => Promise<string> {
  let text = ''
  const whole = new Promise((resolve) => stderr.once('close', resolve))
  stderr.setEncoding('latin1').on('data', (part: string) => {
    text = (text + part).slice(0, maxStderrBytes)
  })
  return async () => {
    // A process that git has left behind may keep it open.
    await Promise.race([whole, new Promise((resolve) => setTimeout(resolve, graceMs).unref())])
    return text
  }
}
