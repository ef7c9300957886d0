/** What every database file is asked: does it open, is it of this program's version, is it whole. */

import { type Finding, good, warning, wrong } from './finding.ts'

interface Inspected {
  readonly version: number
  readonly newestVersion: number
  damage(): string | undefined
}

export function findingsOfFile(file: string, inspected: Inspected): readonly Finding[] {
  const { version, newestVersion } = inspected
  if (version > newestVersion) {
    return [
      wrong(
        `${file} has version ${version}, and this program knows up to ${newestVersion}`,
        'It was written by a newer Latchkey: run that one, or restore a backup.',
      ),
    ]
  }
  const damage = inspected.damage()
  if (damage !== undefined) {
    return [
      wrong(
        `${file} is damaged (${damage.replaceAll('\n', ' ')})`,
        'Stop the hub, and restore a backup: latchkey restore --help.',
      ),
    ]
  }
  if (version < newestVersion) {
    return [
      warning(
        `${file} has version ${version}, and this program brings it to ${newestVersion}`,
        'Take a backup with the program that wrote it; the next start migrates it.',
      ),
    ]
  }
  return [good(`${file} has version ${version}, as this program, and no damage`)]
}
