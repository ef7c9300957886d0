/** What the system says of the time and memory of a process. */

import { readFileSync } from 'node:fs'

export interface HubTime {
  /** Milliseconds on a core. */
  readonly cpuMs: number
  /** Of the time in which it could have run on a core that was free, the part in which it ran. */
  readonly busy: number
  readonly wallMs: number
  /** Of all time, the part in which it ran. */
  readonly share: number
}

/** Of the main thread, from now until the function that is given back is called. */
export function timeOf(pid: number): () => HubTime {
  const read = () => {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8')
      .split(' ')
      .map((nanoseconds) => Number(nanoseconds) / 1e6)
    return { ran, waited, at: performance.now() }
  }
  const before = read()
  return () => {
    const after = read()
    const cpuMs = after.ran - before.ran
    const waitedMs = after.waited - before.waited
    const wallMs = after.at - before.at
    return { cpuMs, wallMs, share: cpuMs / wallMs, busy: cpuMs / (wallMs - waitedMs) }
  }
}

export function megabytesOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}
