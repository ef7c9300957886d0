/** A span of time as people say it. */

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** In the largest unit of which there are two. */
export function spanOf(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000)
  for (const [unit, length] of units) {
    if (seconds >= 2 * length) return `${Math.floor(seconds / length)} ${unit}s`
  }
  return seconds === 1 ? '1 second' : `${seconds} seconds`
}
