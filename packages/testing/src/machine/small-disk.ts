/** A disk of a few megabytes that a test can fill and free. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  readonly folder: string
  /** Leaves not a single block. */
  fill(): void
  free(): void
  remove(): void
}

/** Undefined where this user may mount nothing. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const parent = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
  const folder = join(parent, 'disk')
  const ballast = join(folder, 'ballast')
  mkdirSync(folder)
  if (run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder) !== 0) {
    rmSync(parent, { recursive: true })
    return undefined
  }
  return {
    folder,
    fill() {
      writeFileSync(ballast, '')
      const { bavail, bsize } = statfsSync(folder)
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize))
      } catch (error) {
        // A server that writes meanwhile may have taken the last block.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      }
    },
    free: () => truncateSync(ballast),
    remove() {
      run('umount', folder)
      rmSync(parent, { recursive: true })
    },
  }
}

function run(command: string, ...args: readonly string[]): number | null {
  return spawnSync(command, args, { stdio: 'ignore' }).status
}
