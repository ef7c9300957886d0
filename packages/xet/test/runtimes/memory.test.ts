import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { rounds } from '@latchkey/testing/chance'
import { compileCache } from '@latchkey/testing/machine/latchkey-bin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FileWorld, openFileWorld } from '../files/file-world.ts'

const manyMegabytes = join(import.meta.dirname, 'many-megabytes.ts')

/** The second needs half a minute of processor time. */
const platformCount = rounds(1, 2)
/** In megabytes. The beginning is longer than all that a transfer holds at once. */
const [beginning, whole] = [50, rounds(105, 3000)]
/** In megabytes, of the whole process: Node itself has some 60 of them, and gives back what was used the later, the busier the machine is. */
const most = { upload: 900, download: 600 }
/** What the rest may take more: less than its length. In the soak the chunks that an upload remembers count, 50 MB of them at most. */
const maxGrowth = rounds(50, 200)

// biome-ignore format: a table is read by its columns
const platforms = [
  { name: 'Node',                  flags: [],                       seed: 1 },
  { name: 'Node, as in a browser', flags: ['--conditions=browser'], seed: 2 },
]

interface Moved {
  readonly hash: string
  readonly bytes: number
  /** The most megabytes of memory until the beginning of the file was moved. */
  readonly atFirst: number
  readonly inAll: number
}

let world: FileWorld
beforeAll(async () => {
  world = await openFileWorld()
})
afterAll(() => world?.close())

describe.each(platforms.slice(0, platformCount))(
  'the memory of the file client in $name',
  ({ flags, seed }) => {
    // conformance: Client / Transfers of large files use bounded memory
    it('has a bound that does not grow with the file, both ways', async () => {
      // Each in a process of its own, whose memory nothing else has filled.
      const upload = await move(flags, ['upload', `${whole}`, `${seed}`])
      expect(upload.bytes).toBeGreaterThanOrEqual(whole * 1_000_000)
      const download = await move(flags, ['download', upload.hash])
      expect(download.bytes).toBe(whole * 1_000_000)
      for (const { moved, limit } of [
        { moved: upload, limit: most.upload },
        { moved: download, limit: most.download },
      ]) {
        expect(moved.atFirst).toBeGreaterThan(0)
        expect(moved.inAll).toBeLessThan(limit)
        expect(moved.inAll - moved.atFirst).toBeLessThan(maxGrowth)
      }
    })
  },
)

async function move(flags: readonly string[], words: readonly string[]): Promise<Moved> {
  const { hubUrl, hubToken } = world.options()
  const node = ['--conditions=@latchkey/source', ...flags, manyMegabytes]
  const given = [hubUrl, hubToken, `${beginning}`, ...words]
  const child = spawn(process.execPath, [...node, ...given], {
    ...{ env: { NODE_COMPILE_CACHE: compileCache }, stdio: ['ignore', 'pipe', 'inherit'] },
  })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect(code).toBe(0)
  return JSON.parse(said)
}
