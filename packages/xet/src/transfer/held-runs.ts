/** Runs that more than one part of a file needs: kept for a while, so that they are fetched once. */

export interface HeldRuns {
  get(name: string): readonly Buffer[] | undefined
  /** The oldest make room. */
  hold(name: string, chunks: readonly Buffer[]): void
  drop(name: string): void
}

export function heldRuns(mostBytes: number): HeldRuns {
  const runs = new Map<string, { chunks: readonly Buffer[]; bytes: number }>()
  let held = 0
  const drop = (name: string) => {
    held -= runs.get(name)?.bytes ?? 0
    runs.delete(name)
  }
  return {
    get: (name) => runs.get(name)?.chunks,
    hold(name, chunks) {
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
      for (const oldest of runs.keys()) {
        if (held + bytes <= mostBytes) break
        drop(oldest)
      }
      runs.set(name, { chunks, bytes })
      held += bytes
    },
    drop,
  }
}
