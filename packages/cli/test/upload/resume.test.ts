import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { keystream } from '@latchkey/testing/keystream'
import { hasProc } from '@latchkey/testing/machine/child-processes'
import { describe, expect, it } from 'vitest'
import { readManifest } from '../../src/manifest/read-manifest.ts'
import { latchkeyHere } from '../run-here.ts'
import { folderOf } from './folder-of.ts'
import { type ResumeWorld, sharedWorld, target, type Uploading } from './resume-world.ts'

/** Three xorbs. */
const megabytes = rounds(36, 1000)
const breaks = rounds(3, 20)
const content = keystream('resume', megabytes * 1_000_000)
/** Which the storage does not have yet. */
const other = keystream('token', 36_000_000)
/** Noise does not get smaller; what stands around its chunks takes less than this. */
const packed = ({ length }: Buffer) => length * 1.002

const goesOn =
  /the storage has saved [\d.]+ [kMG]B of this run; run the same command to continue\n$/

type Break = (world: ResumeWorld, uploading: Uploading) => Promise<void>

/** The client is gone at once, and says nothing. */
const killClient: Break = async (_, { child, ended }) => {
  child.kill('SIGKILL')
  expect(await ended).toMatchObject({ stdout: '' })
}

/** The client tries for a second, and ends. Whether it has heard of the xorb that was kept is chance. */
const whileShut = async (
  { door }: ResumeWorld,
  { ended }: Uploading,
  kill: () => Promise<void>,
) => {
  door.shut()
  const [{ code, stderr }] = await Promise.all([ended, kill()])
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(/^latchkey: .*\n$/) })
}
const killStorage: Break = (world, uploading) => whileShut(world, uploading, world.killStorage)
const killHub: Break = (world, uploading) => whileShut(world, uploading, world.killHub)

const kinds: readonly Break[] = [killClient, killStorage, killHub]

describe.skipIf(!hasProc)('an upload that is broken off', () => {
  const opened = sharedWorld()

  // conformance: Guarantees / An interrupted upload resumes without sending stored content again
  it(`${breaks} times sends no more than its bytes and the xorbs on their way at each break, and ends whole`, async () => {
    const world = opened()
    const { door } = world
    world.write('file.bin', content)
    for (let count = 0; count < breaks; count += 1) {
      // Every fourth one breaks off before anything is kept.
      const stopped = door.stopAfter(Math.min(count % 4, 1))
      const uploading = world.upload('file.bin', '--retry-timeout', '1')
      await stopped
      await kinds[count % kinds.length]?.(world, uploading)
      door.open()
    }

    // The last xorb is kept before the shard is sent.
    const registering = door.stopShards()
    const interrupted = world.upload('file.bin')
    await registering
    interrupted.child.kill('SIGINT')
    const { code, stdout, stderr } = await interrupted.ended
    expect({ code, stdout, stderr }).toEqual({
      ...{ code: 130, stdout: '' },
      stderr: expect.stringMatching(/^latchkey: stopped: the storage has saved /),
    })
    expect(stderr).toMatch(goesOn)
    door.open()
    expect(door.xorbBytes()).toBeLessThan(packed(content) + door.lostBytes())
    expect(door.xorbBytes()).toBeGreaterThan(content.length)

    const before = door.xorbBytes()
    const { stdout: hash } = await world.run('upload', target, 'file.bin')
    expect(door.xorbBytes()).toBe(before)
    expect(door.shards()).toBe(1)
    await world.run('download', target, hash.trim(), '-o', 'back.bin')
    expect(readFileSync(join(world.cwd, 'back.bin')).equals(content)).toBe(true)

    await world.run('upload', target, 'file.bin')
    expect(door.xorbBytes()).toBe(before)
    expect(door.shards()).toBe(1)

    world.write('file.bin', withChanges(content, 0.01))
    await world.run('upload', target, 'file.bin')
    expect(door.xorbBytes() - before).toBeGreaterThan(content.length * 0.01)
    expect(door.xorbBytes() - before).toBeLessThan(content.length * 0.05)
  })

  it('as a folder has no manifest yet; with a token that was taken back it goes on in the same run', async () => {
    const world = opened()
    const { cwd, door } = world
    const all = keystream('folder', 20_000_000)
    const parts = Array.from({ length: 20 }, (_, index) =>
      all.subarray(index * 1_000_000, (index + 1) * 1_000_000),
    )
    folderOf(cwd, Object.fromEntries(parts.map((part, index) => [`many/${index}.bin`, part])))
    const delayed = door.delayXorbs()
    const { child, ended } = world.upload('many')
    const { casUrl, authorization } = await delayed
    const status = async () => {
      const answer = await fetch(`${casUrl}/v1/files/${'a'.repeat(64)}`, {
        ...{ method: 'HEAD', headers: { authorization } },
      })
      return answer.status
    }
    expect(await status()).toBe(404)
    expect(await latchkeyHere(['revoke', 'account', 'ada'], { cwd })).toMatchObject({ code: 0 })
    await expect.poll(status).toBe(401)
    const lost = door.lostBytes()
    door.open()
    await door.stopShards()
    // The xorbs that waited were refused with the dead token, and sent again.
    expect(door.lostBytes()).toBeGreaterThanOrEqual(lost)
    expect(door.xorbBytes()).toBeLessThan(packed(all) + door.lostBytes())
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 143, stderr: expect.stringMatching(goesOn) })
    expect(existsSync(join(cwd, 'many.manifest.json'))).toBe(false)
    door.open()

    const before = door.xorbBytes()
    await world.run('upload', target, 'many')
    expect(door.xorbBytes()).toBe(before)
    const { files } = readManifest(join(cwd, 'many.manifest.json'))
    expect(files).toHaveLength(parts.length)
    const last = files.find(({ path }) => path === '19.bin')
    await world.run('download', target, last?.hash ?? '', '-o', 'back.bin')
    expect(readFileSync(join(cwd, 'back.bin')).equals(all.subarray(19_000_000))).toBe(true)
  })

  // The last, because hub and storage are ahead of commands from here on.
  // conformance: Client flow / 4. The client refreshes a token 30 s before exp with the same request
  it('by the end of its token, under its xorbs and again under its shard, goes on in the same run', async () => {
    const world = opened()
    const { door } = world
    world.write('file.bin', other)
    const sending = door.delayXorbs({ passing: 1, waiting: 2 })
    const { ended } = world.upload('file.bin')
    await sending
    const onTheirWay = door.lostBytes()
    await world.hourAhead()
    door.open()
    await Promise.race([door.delayShards(), ended])
    // Each of the two was refused once; what was kept before was not sent again.
    expect(door.lostBytes()).toBe(onTheirWay)
    expect(door.keptBytes()).toBeLessThan(packed(other))
    expect(door.xorbBytes()).toBeLessThan(packed(other) + onTheirWay)

    const before = door.xorbBytes()
    await world.hourAhead()
    door.open()
    const { code, stdout: hash, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(door.xorbBytes()).toBe(before)
    expect(door.tokens()).toBe(3)
    await world.run('download', target, hash.trim(), '-o', 'back.bin')
    expect(readFileSync(join(world.cwd, 'back.bin')).equals(other)).toBe(true)
  })
})

/** In four places, so much of it in all. */
function withChanges(bytes: Buffer, share: number): Buffer {
  const changed = Buffer.from(bytes)
  const length = Math.ceil((bytes.length * share) / 4)
  for (const place of [0.1, 0.3, 0.55, 0.8]) {
    keystream(`change at ${place}`, length).copy(changed, Math.floor(bytes.length * place))
  }
  return changed
}
