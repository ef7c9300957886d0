/** A full disk under a storage: uploads are told, reads go on, nothing is lost, and room is enough to go on. */

import { mkdirSync, statSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { roomToStart } from '@latchkey/testing/machine/latchkey-bin'
import { mountSmallDisk } from '@latchkey/testing/machine/small-disk'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import type { WrittenXorb } from '@latchkey/xet/format'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { objectsIn } from '../../src/index.ts'
import { leftBehind } from './left-behind.ts'
import { type Answer, type Ref, type StorageProcess, serveStorage } from './storage-process.ts'

const block = 4096
/** With its header it fills a block, so that the table behind the chunks needs one more. */
const chunkBytes = block - 8
const outside = sharedFolder()

/** On the first both fill up, objects and database. */
const disks = [
  { where: 'that holds everything', hasObjects: true },
  { where: 'that holds the database alone', hasObjects: false },
].slice(0, rounds(1, 2))

describe.each(disks)('on a full disk $where', ({ hasObjects }) => {
  const disk = mountSmallDisk(16)
  const acknowledged: WrittenXorb[] = []
  const known = new Set<string>()
  let prepared: Prepared
  let storage: StorageProcess
  let ref: Ref
  let made = 0

  beforeAll(async () => {
    if (disk === undefined) return
    prepared = await prepareData(disk.folder)
    if (!hasObjects) {
      mkdirSync(join(outside, 'objects'))
      symlinkSync(join(outside, 'objects'), objectsIn(prepared.data).folder)
    }
    storage = await serveStorage(prepared, outside, roomToStart, ['--storage-reserved-bytes', '0'])
    ref = await storage.openRef('main')
    await send(newXorb())
  })
  beforeEach(({ skip }) => {
    if (disk === undefined) skip('this user may not mount a small disk to fill')
    disk?.fill()
  })
  afterAll(async () => {
    await storage?.end('SIGKILL')
    disk?.remove()
  })

  const newXorb = () => {
    made += 1
    return makeXorb(randomChunks(`${hasObjects} ${made}`, 10, chunkBytes), { scheme: 'none' })
  }
  const left = () => leftBehind(prepared.data, known)
  const send = async (xorb: WrittenXorb) => {
    const answer = await ref.sendXorb(xorb.hash, new Uint8Array(xorb.bytes))
    if (answer.status === 200) acknowledged.push(xorb)
    return answer
  }
  const register = ({ xorbs }: { xorbs: readonly WrittenXorb[] }) =>
    ref.sendShard(makeShard({ files: [makeFile(xorbs.map((xorb) => ({ xorb })))] }))
  /** Small writes fit into what the journal has claimed already. */
  const sendUntilFull = async () => {
    for (let tries = 0; tries < 500; tries += 1) {
      const xorb = newXorb()
      const answer = await send(xorb)
      if (answer.status !== 200) return { answer, xorb }
    }
    throw new Error('the disk never became full')
  }
  /** Everything that was acknowledged is there, and nothing by half. */
  const expectWhole = async () => {
    expect((await left()).flaws).toEqual([])
    // An upload of known bytes is answered before its copy is removed.
    await expect.poll(async () => (await left()).drafts).toBe(0)
    for (const { hash, bytes } of acknowledged) {
      const { status, body } = await ref.readXorb(hash)
      expect([status, body.equals(bytes)]).toEqual([200, true])
    }
  }

  test('an upload is refused with 507 and says who can help; no ref has it, no draft stays', async () => {
    const { answer, xorb } = await sendUntilFull()
    expectFull(answer)
    expect((await ref.readXorb(xorb.hash)).status).toBe(404)
    await expectWhole()
  })

  test('what is there can be read, xorbs and files', async () => {
    disk?.free()
    const xorbs = acknowledged.slice(0, 3)
    expect((await register({ xorbs })).status).toBe(200)
    disk?.fill()
    await sendUntilFull()
    const file = makeFile(xorbs.map((xorb) => ({ xorb })))
    expect((await ref.readFile(file.hash))?.length).toBe(10 * chunkBytes * xorbs.length)
    await expectWhole()
  })

  test('a shard is refused with 507, and taken once there is room', async () => {
    disk?.free()
    const xorbs = [newXorb(), newXorb()]
    for (const xorb of xorbs) await send(xorb)
    disk?.fill()
    await sendUntilFull()
    const refused = await register({ xorbs })
    expectFull(refused)
    disk?.free()
    expect((await register({ xorbs })).status).toBe(200)
    await expectWhole()
  })

  test('with any little room an upload is kept whole or refused', async () => {
    await sendUntilFull()
    const xorb = newXorb()
    const statuses: number[] = []
    for (let blocks = 0; statuses.at(-1) !== 200 && blocks < 64; blocks += 1) {
      leaveRoom(blocks)
      statuses.push((await send(xorb)).status)
      expect((await left()).flaws).toEqual([])
    }
    expect(new Set(statuses)).toEqual(new Set([507, 200]))
    await expectWhole()
  })

  // conformance: Attacks / 27. An attacker sends too much data, or the disk is full
  test('uploads go on as soon as there is room, with what was refused too', async () => {
    await sendUntilFull()
    const xorb = newXorb()
    expectFull(await send(xorb))
    disk?.free()
    expect((await send(xorb)).status).toBe(200)
    await expectWhole()
    const { code } = await storage.end('SIGTERM')
    expect(code).toBe(0)
  })

  const leaveRoom = (blocks: number) => {
    const ballast = join(disk?.folder ?? '', 'ballast')
    disk?.fill()
    truncateSync(ballast, statSync(ballast).size - blocks * block)
  }
})

function expectFull({ status, body }: Answer): void {
  expect(status).toBe(507)
  const told = JSON.parse(body.toString())
  expect(told).toMatchObject({ code: 'storage_full' })
  expect(body.toString()).toContain('no room left')
  expect(body.toString()).toContain('operator must free some space')
}
