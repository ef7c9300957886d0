/** A folder for what tests write, in memory: on a disk every commit of a database waits. */

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'

/** Less could become full while several tests hold large files. */
const neededBytes = 4 * 1024 ** 3

/** Removed with the end of this process; undefined where there is no room for it, or no program may be started from it. */
export function folderInMemory(): string | undefined {
  if (process.availableMemory() < neededBytes || freeBytes() < neededBytes) return undefined
  const folder = mkdtempSync(join(memory, 'latchkey-tests-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  // As the system's own: some tests run as another user.
  chmodSync(folder, 0o1777)
  return startsPrograms(folder) ? folder : undefined
}

function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize
  } catch {
    return 0
  }
}

function startsPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}
