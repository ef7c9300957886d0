/**
 * Keeps a `git update-ref` that has committed its transaction for the next one in its repository: to start one takes as long
 * as the rest of a commit. Between transactions it holds no lock, and it reads the refs anew for each.
 */

import type { GitProcess } from '../process/start-git.ts'

/** One at a time uses it. */
export interface RefUpdater {
  readonly git: GitProcess
  readonly answers: AsyncGenerator<string>
  /** Transactions so far. */
  uses: number
}

export interface HeldUpdates {
  /** Takes it out; undefined where none waits. */
  take(folder: string): RefUpdater | undefined
  /** Only after a commit: git forgets then what it has read of refs. */
  keep(folder: string, updater: RefUpdater): void
  end(folder: string): void
  close(): void
}

export interface HeldBounds {
  /** Processes that wait, in all repositories. */
  readonly most: number
  readonly idleMs: number
}

/** A process keeps each commit that it has looked at, so it ends after so many. */
const maxUses = 1000

export function heldUpdates({ most, idleMs }: HeldBounds): HeldUpdates {
  /** The one that has waited longest comes first. */
  const waiting = new Map<string, { readonly updater: RefUpdater; readonly idle: NodeJS.Timeout }>()
  const take = (folder: string) => {
    const found = waiting.get(folder)
    if (found === undefined) return undefined
    waiting.delete(folder)
    clearTimeout(found.idle)
    return found.updater
  }
  /** At the end of its input git ends. */
  const end = (folder: string) => void take(folder)?.git.stdin.end()
  return {
    take,
    keep(folder, updater) {
      end(folder)
      if (updater.uses >= maxUses) return void updater.git.stdin.end()
      const [oldest] = waiting.keys()
      if (waiting.size >= most && oldest !== undefined) end(oldest)
      const idle = setTimeout(() => end(folder), idleMs)
      waiting.set(folder, { updater, idle })
      const forget = () => {
        if (waiting.get(folder)?.updater === updater) take(folder)
      }
      updater.git.ended.then(forget, forget)
    },
    end,
    close() {
      for (const folder of [...waiting.keys()]) end(folder)
    },
  }
}
