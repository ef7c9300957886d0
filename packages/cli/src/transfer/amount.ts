/** An amount of bytes as people read it. */

const units = ['B', 'kB', 'MB', 'GB', 'TB']

export function amount(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${(bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`
}
