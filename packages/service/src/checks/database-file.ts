import type { InspectedDatabase } from '../database/inspect-database.ts'
import { type Finding, goodFinding, warningFinding, wrongFinding } from './finding.ts'

interface InspectedFile extends Pick<InspectedDatabase, 'version' | 'damage'> {
  readonly newestVersion: number
}

export function findingsOfFile(file: string, inspected: InspectedFile): readonly Finding[] {
  const { version, newestVersion } = inspected
  if (version > newestVersion) {
    return [
      wrongFinding(
        `${file} has version ${version}, and this program knows up to ${newestVersion}`,
        'It was written by a newer version of Latchkey: use that version, or restore a backup.',
      ),
    ]
  }
  const damage = inspected.damage()
  if (damage !== undefined) {
    return [
      wrongFinding(
        `${file} is damaged (${damage.replaceAll('\n', ' ')})`,
        'Stop the hub, and restore a backup: latchkey restore --help.',
      ),
    ]
  }
  if (version < newestVersion) {
    return [
      warningFinding(
        `${file} has version ${version}, and this program brings it to ${newestVersion}`,
        'Take a backup with the program that wrote it; the next start migrates it.',
      ),
    ]
  }
  return [goodFinding(`${file} has version ${version}, as this program, and no damage`)]
}
