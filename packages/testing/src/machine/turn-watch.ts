/** Measures how long the event loop of this thread is busy at one go, in processor time: a busy machine counts nothing. */

export interface TurnWatch {
  /** Milliseconds of the longest piece since the last call. */
  longest(): number
  stop(): void
}

/** Looks each millisecond, so a piece seems up to two milliseconds longer than it is. */
export function watchTurns(): TurnWatch {
  let [last, longest] = [cpuMs(), 0]
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  return {
    longest() {
      look()
      const found = longest
      longest = 0
      return found
    },
    stop: () => clearInterval(timer),
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The processor time of some work, the median of a few. */
export function cpuOf(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const began = cpuMs()
    work()
    return cpuMs() - began
  })
  return times.toSorted((one, other) => one - other)[2] ?? 0
}
