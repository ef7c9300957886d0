/** What does the storage cost? Uploads and downloads beside a bare server that writes, checks and syncs the same bytes. */

import { loadCore, pin } from '../machine.ts'
import type { Figure } from '../measure/figure.ts'
import type { Part } from '../part.ts'
import { benchDownloads } from '../storage/download.ts'
import { startSide } from '../storage/sides.ts'
import { benchUploads } from '../storage/upload.ts'
import type { Kind } from '../storage/xorbs.ts'

const small: readonly Kind[] = [
  { megabytes: 8, packing: 'incompressible' },
  { megabytes: 8, packing: 'LZ4' },
]
/** A gigabyte in every visit: for those who ask for this part alone. */
const large: readonly Kind[] = small.map((kind) => ({ ...kind, megabytes: 64 }))

export const storage: Part = {
  name: 'storage',
  async figures({ rounds = 5, only }) {
    pin(process.pid, loadCore)
    const sides = {
      storage: await startSide('storage', 'storage-process.ts'),
      bare: await startSide('bare server', 'bare-server.ts'),
      diskAlone: await startSide('disk alone', 'disk-alone.ts'),
    }
    const kinds = only.length > 0 ? [...small, ...large] : small
    const figures: Figure[] = []
    for (const kind of kinds) figures.push(...(await benchUploads(sides, kind, rounds)))
    for (const megabytes of [1, 8]) figures.push(await benchDownloads(sides, megabytes, rounds))
    return figures
  },
}
