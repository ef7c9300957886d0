/** A process that `latchkey serve` has started, as supervision sees it. */

export interface OwnProcess<Started> {
  /** Settles once it serves; rejects when it ends before. */
  readonly started: Promise<Started>
  /** Settles after its end, when its last line is out. */
  readonly ended: Promise<Ending>
  /** Requests under way may finish; a process that takes longer than its deadline is killed. */
  stop(): void
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** What ending takes beyond the deadline for requests: the last lines, the threads. */
export const endingMs = 5000
