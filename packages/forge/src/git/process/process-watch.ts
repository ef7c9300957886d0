import { GitFailed } from './git-errors.ts'
import type { GitProcess } from './start-git.ts'

export interface GitProcesses {
  readonly running: number
  /** Commands that wait for a slot. */
  readonly waiting: number
  /** Ended by us since the start, because they took too long. */
  readonly killed: number
}

export interface ProcessWatch {
  started(process: GitProcess): GitProcess
  counts(): Omit<GitProcesses, 'waiting'>
}

export function processWatch(): ProcessWatch {
  let [running, killed] = [0, 0]
  const ended = (error?: unknown) => {
    running -= 1
    if (error instanceof GitFailed && error.reason === 'deadline') killed += 1
  }
  return {
    started(process) {
      running += 1
      process.ended.then(() => ended(), ended)
      return process
    },
    counts: () => ({ running, killed }),
  }
}
