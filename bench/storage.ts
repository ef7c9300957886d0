/** What does the storage cost? Uploads and downloads beside a bare server that writes, checks and syncs the same bytes. */

import { loadCore, memoryOf, pin } from './machine.ts'
import { writeResults } from './results.ts'
import { benchDownloads } from './storage/download.ts'
import { startSide } from './storage/sides.ts'
import { benchUploads } from './storage/upload.ts'
import type { Kind } from './storage/xorbs.ts'

const rounds = Number(process.env['ROUNDS'] ?? 7)
const kinds: readonly Kind[] = [
  { megabytes: 8, packing: 'incompressible' },
  { megabytes: 8, packing: 'LZ4' },
  { megabytes: 64, packing: 'incompressible' },
  { megabytes: 64, packing: 'LZ4' },
]

pin(process.pid, loadCore)
const storage = await startSide('storage', 'storage-process.ts')
const bare = await startSide('bare server', 'bare-server.ts')
const diskAlone = await startSide('disk alone', 'disk-alone.ts')
const sides = { storage, bare, diskAlone }
try {
  const table: object[] = []
  for (const kind of kinds) table.push(...(await benchUploads(sides, kind, rounds)))
  for (const megabytes of [1, 8]) table.push(...(await benchDownloads(sides, megabytes, rounds)))
  writeResults('storage', table)
  for (const { name, child } of [storage, bare]) {
    console.log(`${name}: ${memoryOf(child.pid ?? 0)} MB of memory in the end`)
  }
} finally {
  for (const { child } of Object.values(sides)) child.disconnect()
}
