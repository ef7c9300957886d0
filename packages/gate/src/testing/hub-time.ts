/** The time of a fake hub: the system's, moved on by a test, or a moment that stands still until the test moves it. */

export interface HubClock {
  /** In whole Unix seconds. */
  now(): number
  /** Moves the time of the hub and of its gates on. */
  advance(seconds: number): void
}

export interface HubTime {
  readonly clock: HubClock
  milliseconds(): number
  /** Whether time passes by itself. */
  readonly isRunning: boolean
}

export function hubTime(start: number | undefined): HubTime {
  let advanced = 0
  const milliseconds = () => (start === undefined ? Date.now() : start * 1000) + advanced * 1000
  return {
    milliseconds,
    isRunning: start === undefined,
    clock: {
      now: () => Math.floor(milliseconds() / 1000),
      advance(seconds) {
        if (!Number.isSafeInteger(seconds) || seconds < 0) {
          throw new TypeError(`clock.advance takes whole seconds from 0 on, and got ${seconds}.`)
        }
        advanced += seconds
      },
    },
  }
}
