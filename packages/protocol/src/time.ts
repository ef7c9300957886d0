/** Moments, with their unit in the type. */

export type UnixSeconds = number & { readonly unit: 'unix-seconds' }

/** Where "now" comes from; only an entry point reads the system's. */
export type Clock = () => UnixSeconds

export function unixSeconds(seconds: number): UnixSeconds {
  if (!Number.isSafeInteger(seconds)) throw new RangeError(`not a whole second: ${seconds}`)
  return seconds as UnixSeconds
}

export function formatTime(moment: UnixSeconds): string {
  return new Date(moment * 1000).toISOString().replace('.000Z', 'Z')
}
