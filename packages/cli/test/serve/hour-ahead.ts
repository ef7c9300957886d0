/** A hub and its storage whose clock a test sets ahead, so that storage tokens and blob URLs end when the test says so. */

import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Serving } from '../run-latchkey.ts'
import { childOf } from './child-of.ts'

const clock = fileURLToPath(new URL('./clock-ahead.ts', import.meta.url))

/** Flags of Node; the storage's process inherits them. */
export const movableClock = ['--import', clock] as const

/** Longer than a storage token and a blob URL live. Comes back when new ones are taken. */
export async function hourAhead({ child, url, output }: Serving): Promise<void> {
  const moves = () => output().stderr.split('an hour ahead').length - 1
  const before = moves()
  for (const pid of [child.pid ?? 0, childOf(child.pid)]) process.kill(pid, 'SIGUSR2')
  await expect.poll(moves).toBe(before + 2)
  // By its clock, the storage has heard nothing of its hub for too long: it asks first.
  await expect.poll(() => readiness(url)).toMatchObject({ storage: 'ready' })
}

export async function readiness(url: string): Promise<unknown> {
  return (await fetch(`${url}/readyz`)).json()
}
