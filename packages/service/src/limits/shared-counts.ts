/** Counts that the processes of one service exchange, so that a limit holds for all of them together. */

export interface SharedCounts {
  /** For limits on how often: what was let through is told to the others once. */
  limit(name: string): SharedLimit
}

export interface SharedLimit {
  /** This process has let so many through. */
  took(key: string, count: number): void
  /** Told what the other processes have let through. */
  onOthers(act: (key: string, count: number) => void): void
}
