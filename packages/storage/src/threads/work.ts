/** Work that can be done on a thread: what it is given, and what it may say meanwhile. */

/** One thread does many tasks, each with its own `doing`. The result can be copied, or is a refusal. */
export type Work<Task, Progress, Result> = (task: Task, doing: Doing<Progress>) => Promise<Result>

export interface Doing<Progress> {
  /** Aborted when the caller has given the task up; the work notices when it yields to the event loop. */
  readonly signal: AbortSignal
  tell(progress: Progress): void
  /** The buffers go with the result instead of being copied; the work does not touch them afterwards. */
  giveAway(...buffers: readonly ArrayBuffer[]): void
}

/**
 * The export of a module of work: called once on each thread, with the data that all tasks share.
 */
export interface WorkModule<Data, Task, Progress, Result> {
  openWork(data: Data): Work<Task, Progress, Result> | Promise<Work<Task, Progress, Result>>
}
