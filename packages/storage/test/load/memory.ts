/** What the process of a storage takes in memory, in megabytes, as Linux tells it. */

import { existsSync, readFileSync } from 'node:fs'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import type { Serving } from '@latchkey/testing/machine/command'

export const isKnown = existsSync('/proc/self/status')

export function memoryOf(serving: Serving): number {
  return megabytes(serving, 'VmRSS')
}

export function peakMemoryOf(serving: Serving): number {
  return megabytes(serving, 'VmHWM')
}

function megabytes({ child }: Serving, name: string): number {
  const [storage] = childrenOf(child.pid)
  const status = readFileSync(`/proc/${storage}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
}
