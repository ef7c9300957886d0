/** V8's own profile of the CPU time of this process. */

import { Session } from 'node:inspector/promises'

/** What is read of a profile: a tree of functions, each with the samples that met it at work. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
}

export interface ProfileNode {
  readonly id: number
  readonly callFrame: CallFrame
  readonly hitCount?: number | undefined
  readonly children?: readonly number[] | undefined
}

export interface CallFrame {
  readonly functionName: string
  /** Empty for what is not JavaScript. */
  readonly url: string
}

export const samplingMicros = 500

/** Gives the function that ends it. */
export async function startProfile(): Promise<() => Promise<CpuProfile>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: samplingMicros })
  await session.post('Profiler.start')
  return async () => {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    return profile
  }
}
