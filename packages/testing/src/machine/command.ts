/** Runs the `latchkey` command as people do: a process of its own, in a clean environment. */

import { type ChildProcess, spawn } from 'node:child_process'
import { afterAll } from 'vitest'
import { childrenOf } from './child-processes.ts'
import { compileCache, latchkeyBin, roomToStart } from './latchkey-bin.ts'

/** Whatever a test leaves running ends with its file. */
const started = new Set<ChildProcess>()
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
})

const isRoot = process.getuid?.() === 0
// biome-ignore format: one command
const withoutCapabilities = ['setpriv', '--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--']

export interface Around {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Flags of Node itself; `roomToStart`, left out. */
  readonly nodeFlags?: readonly string[]
  /**
   * Lets file modes bind the command where the test runs as root. The user stays the same, because another user
   * cannot reach a checkout in a private folder.
   */
  readonly isBoundByModes?: boolean
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  output(): { readonly stdout: string; readonly stderr: string }
  readonly ended: Promise<Ended>
}

export interface Serving extends Running {
  readonly url: string
  /** Sends the signal and waits for the end; SIGKILL ends the processes below it, too, as a crash of the machine does. */
  end(signal?: NodeJS.Signals): Promise<Ended>
}

export function launch(args: readonly string[], around: Around): Running {
  const { cwd, env = {}, nodeFlags = roomToStart, isBoundByModes = false } = around
  const node = [process.execPath, ...nodeFlags, latchkeyBin, ...args]
  const [program = '', ...words] =
    isBoundByModes && isRoot ? [...withoutCapabilities, ...node] : node
  const child = spawn(program, words, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.add(child)
  const parts = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    parts.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    parts.stderr += text
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      started.delete(child)
      resolve({ code, signal, ...parts })
    })
  })
  return { child, output: () => ({ ...parts }), ended }
}

/** Runs a command to its end. */
export function latchkey(args: readonly string[], around: Around): Promise<Ended> {
  return launch(args, around).ended
}

/** The same for a preparation that must succeed; gives what it printed as JSON. */
export async function latchkeyJson<Result>(
  args: readonly string[],
  around: Around,
): Promise<Result> {
  const { code, stdout, stderr } = await latchkey([...args, '--json'], around)
  if (code !== 0) throw new Error(`latchkey ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** A hub on a free port, once it says that it is ready. */
export function serve(args: readonly string[], around: Around): Promise<Serving> {
  return startServing(['serve', '--port', '0', ...args], around)
}

/** A command that serves, once it says that it is ready. */
export async function startServing(args: readonly string[], around: Around): Promise<Serving> {
  const launched = launch(args, around)
  const url = await readyAddress(launched)
  return {
    ...launched,
    url,
    end(signal = 'SIGTERM') {
      const below = signal === 'SIGKILL' ? childrenOf(launched.child.pid) : []
      for (const pid of below) process.kill(pid, signal)
      launched.child.kill(signal)
      return launched.ended
    },
  }
}

export function readyAddress({ child, output, ended }: Running): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', () => {
      const url = /ready at (http[^\s,]+)[,\n]/.exec(output().stderr)?.[1]
      if (url !== undefined) resolve(url)
    })
    ended.then(
      ({ code, signal, stderr }) => reject(new Error(`ended with ${code ?? signal}: ${stderr}`)),
      reject,
    )
  })
}
