import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { rounds } from '@latchkey/testing/chance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FileWorld, openFileWorld } from '../files/file-world.ts'

const manyMegabytes = join(import.meta.dirname, 'many-megabytes.ts')

/** The second needs half a minute of processor time. */
const platformCount = rounds(1, 2)
/** In megabytes. Both are longer than all that a transfer holds at once. */
const [smaller, larger] = [100, rounds(300, 3000)]
/** In megabytes, of the whole process: Node itself has some 60 of them, and gives back later what was used. */
const most = { upload: 500, download: 300 }
/**
 * What the larger file may take more: less than it is longer, and more than two runs with the same file differ. In the
 * soak the chunks that an upload remembers count, 50 MB of them at most.
 */
const mostGrowth = rounds(100, 200)

// biome-ignore format: a table is read by its columns
const platforms = [
  { name: 'Node',                  flags: [],                       seed: 1 },
  { name: 'Node, as in a browser', flags: ['--conditions=browser'], seed: 2 },
]

interface Moved {
  readonly hash: string
  readonly bytes: number
  readonly peakMegabytes: number
}

let world: FileWorld
beforeAll(async () => {
  world = await openFileWorld()
})
afterAll(() => world?.close())

describe.each(platforms.slice(0, platformCount))(
  'the memory of the file client in $name',
  ({ flags, seed }) => {
    it('has a bound that does not grow with the file, both ways', async () => {
      const short = await upAndDown(smaller)
      const long = await upAndDown(larger)
      for (const way of ['upload', 'download'] as const) {
        expect(long[way]).toBeLessThan(most[way])
        expect(long[way] - short[way]).toBeLessThan(mostGrowth)
      }
    })

    /** Each in a process of its own, whose memory nothing else has filled. */
    async function upAndDown(megabytes: number) {
      const up = await move(flags, ['upload', `${megabytes}`, `${seed * 100_000 + megabytes}`])
      expect(up.bytes).toBeGreaterThanOrEqual(megabytes * 1_000_000)
      const down = await move(flags, ['download', up.hash])
      expect(down.bytes).toBe(megabytes * 1_000_000)
      return { upload: up.peakMegabytes, download: down.peakMegabytes }
    }
  },
)

async function move(flags: readonly string[], words: readonly string[]): Promise<Moved> {
  const { hubUrl, hubToken } = world.options()
  const args = ['--conditions=@latchkey/source', ...flags, manyMegabytes, hubUrl, hubToken]
  const child = spawn(process.execPath, [...args, ...words], {
    ...{ env: {}, stdio: ['ignore', 'pipe', 'inherit'] },
  })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect(code).toBe(0)
  return JSON.parse(said)
}
