/** A stopwatch that goes on when the test says so. */

export interface MovedStopwatch {
  now(): number
  pass(seconds: number): void
}

export function movedStopwatch(): MovedStopwatch {
  let passedMs = 0
  return {
    now: () => passedMs,
    pass(seconds) {
      passedMs += seconds * 1000
    },
  }
}
