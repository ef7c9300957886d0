/** Runs git commands in one repository, as many at a time as there are slots. */

import { isRefusal } from '@latchkey/protocol'
import type { Release, Shares } from '@latchkey/service/limits/shares'
import { nextSlice } from '@latchkey/service/limits/slices'
import { collect } from './collect.ts'
import { gitEnvironment } from './environment.ts'
import { feed, type Input } from './feed.ts'
import { GitBusy } from './git-errors.ts'
import { type GitProcess, startGit } from './start-git.ts'

export interface CallOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly deadlineMs?: number
  /** Where there is a bound, the kernel keeps it. */
  readonly cpuSeconds?: number
  readonly memoryBytes?: number
  readonly maxBytes?: number
  /** An exit code beside 0 that is no failure. */
  readonly otherExit?: number
  readonly signal?: AbortSignal | undefined
  /** A process that waits for a client takes no slot of those that only work. */
  readonly waitsForClient?: boolean
  /** The caller has taken a slot, and gives it back. */
  readonly hasSlot?: boolean
}

export interface GitCommands {
  readonly folder: string
  start(args: readonly string[], options?: CallOptions): Promise<GitProcess>
  /** For work of a process that may be there already. */
  takeSlot(signal?: AbortSignal): Promise<Release>
  /** Runs to the end and gives what git said. */
  run(args: readonly string[], input?: Input, options?: CallOptions): Promise<Buffer>
  /** To be called for every object or pack that a command was made to write: its name is synced before a ref names it. */
  wrote(hash: string): void
}

export interface GitPlace {
  readonly program: string
  /** The bare repository. */
  readonly folder: string
  /** The account that processes are charged to. */
  readonly account: () => string
  readonly slots: GitSlots
  /** For a command that has none of its own. */
  readonly deadlineMs?: number
  /** Ends a command that has no signal of its own. */
  readonly signal?: AbortSignal | undefined
  readonly started?: (process: GitProcess) => GitProcess
  wrote(hash: string): void
}

export interface GitSlots {
  readonly work: Shares
  readonly serving: Shares
}

const usualDeadlineMs = 60_000
const usualMostBytes = 64 * 1024 * 1024

export function gitCommands(place: GitPlace): GitCommands {
  const { program, folder, account, slots, wrote, started = (process) => process } = place
  const takeIn = async ({ take }: Shares, signal: AbortSignal | undefined) => {
    const release = await take({ account: account() }, signal)
    if (isRefusal(release)) throw new GitBusy(release)
    return release
  }
  const start: GitCommands['start'] = async (args, options = {}) => {
    const {
      deadlineMs = place.deadlineMs ?? usualDeadlineMs,
      maxBytes = usualMostBytes,
      signal = place.signal,
      env,
      cpuSeconds,
      memoryBytes,
      otherExit,
    } = options
    const line = options.waitsForClient ? slots.serving : slots.work
    const release = options.hasSlot ? () => {} : await takeIn(line, signal)
    try {
      // To start a process takes the event loop some milliseconds: other requests have their turn between two starts.
      await nextSlice()
      const process = started(
        startGit({
          ...{ program, args, deadlineMs, maxBytes, signal, otherExit },
          ...{ cpuSeconds, memoryBytes },
          cwd: folder,
          env: { ...gitEnvironment(folder), ...env },
        }),
      )
      process.ended.then(release, release)
      return process
    } catch (error) {
      release()
      throw error
    }
  }
  return {
    folder,
    wrote,
    start,
    takeSlot: (signal = place.signal) => takeIn(slots.work, signal),
    async run(args, input = '', options = {}) {
      const process = await start(args, options)
      const [output] = await Promise.all([collect(process), feed(process, input)])
      return output
    },
  }
}
