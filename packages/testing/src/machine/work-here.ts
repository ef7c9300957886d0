/** The work of a storage's threads, done in this process: threads take their time to start, and tests can break what the work stands on. */

interface Given {
  /** Exports `openWork`. */
  readonly module: URL
  readonly data?: unknown
}

interface Watching<Progress> {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

interface Surroundings<Progress> {
  readonly signal: AbortSignal
  readonly tell: (progress: Progress) => void
  readonly giveAway: () => void
}

type Work<Task, Progress, Result> = (task: Task, around: Surroundings<Progress>) => Promise<Result>

/** In place of a pool of threads. */
export function workHere<Task, Progress, Result>({ module, data }: Given) {
  let opened: Promise<Work<Task, Progress, Result>> | undefined
  const open = async () => {
    const { openWork } = await import(module.href)
    return openWork(data)
  }
  return {
    async run(
      task: Task,
      { signal = new AbortController().signal, onProgress = () => {} }: Watching<Progress> = {},
    ): Promise<Result> {
      opened ??= open()
      const work = await opened
      return work(task, { signal, tell: onProgress, giveAway() {} })
    },
    async close(): Promise<void> {},
  }
}
