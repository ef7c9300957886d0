import { setImmediate } from 'node:timers/promises'
import { randomBytes } from '@latchkey/testing/xet/making'
import { expect, it } from 'vitest'
import { chunkHash } from '../../src/format/hashing.ts'
import { type XorbPacker, xorbPacker } from '../../src/upload/xorb-packer.ts'

const mebibyte = 1024 * 1024
const chunk = randomBytes(1, 128 * 1024)
const tiny = Buffer.from('x')
const hash = chunkHash(tiny)
const segment = { bytes: 16 * mebibyte }

async function finished(packer: XorbPacker) {
  const { sent, arrived } = await packer.finish()
  await arrived()
  return sent
}

it('a xorb that cannot be sent is told by whoever adds a later one, and in the end', async () => {
  const packer = xorbPacker(async () => {
    throw new Error('no room')
  })
  const adding = async () => {
    for (;;) await packer.add(tiny, hash, segment)
  }
  await expect(adding()).rejects.toThrow('no room')
  await expect(finished(packer)).rejects.toThrow('no room')
})

it('after a xorb that cannot be sent no other is begun', async () => {
  let begun = 0
  const packer = xorbPacker(async () => {
    begun += 1
    if (begun === 2) throw new Error('no room')
  })
  for (let count = 0; count < 3 * 8192; count += 1) await packer.add(tiny, hash, segment)
  await setImmediate()
  const more = async () => {
    for (let count = 0; count < 2 * 8192; count += 1) await packer.add(tiny, hash, segment)
  }
  await expect(more()).rejects.toThrow('no room')
  expect(begun).toBe(2)
})

it('no xorb has more than 64 MiB or 8192 chunks', async () => {
  const sizes: number[] = []
  const packer = xorbPacker(async (_, parts) => void sizes.push(Buffer.concat(parts).length))
  for (let count = 0; count < 520; count += 1) await packer.add(chunk, hash, segment)
  for (let count = 0; count < 8300; count += 1) await packer.add(tiny, hash, segment)
  const sent = await finished(packer)
  expect(sent.map(({ table }) => table.count)).toEqual([511, 8192, 117])
  expect(sizes).toEqual(sent.map(({ table }) => table.packedBytes))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * mebibyte)
})

it('a xorb that is half full ends where a segment ends; one with less takes more', async () => {
  const packer = xorbPacker(async () => {})
  const [first, second, third] = [{ ...segment }, { ...segment }, { ...segment }]
  for (let count = 0; count < 63; count += 1) await packer.add(chunk, hash, first)
  expect(packer.wouldBegin(chunk.length, second)).toBe(false)
  for (let count = 0; count < 30; count += 1) await packer.add(chunk, hash, second)
  expect(packer.wouldBegin(chunk.length, second)).toBe(false)
  expect(packer.wouldBegin(chunk.length, third)).toBe(true)
  await packer.add(chunk, hash, third)
  const sent = await finished(packer)
  expect(sent.map(({ table }) => table.count)).toEqual([93, 1])
})

it('a xorb that is half full is sent where a segment ends, also when all that follows is found', async () => {
  const sizes: number[] = []
  const packer = xorbPacker(async (_, parts) => void sizes.push(parts.length))
  const [first, second, third] = [{ ...segment }, { ...segment }, { bytes: 48 * mebibyte }]
  for (let count = 0; count < 63; count += 1) await packer.add(chunk, hash, first)
  await packer.pass(second)
  expect(sizes.length).toBe(0)
  await packer.add(chunk, hash, second)
  await packer.pass(second)
  expect(sizes.length).toBe(0)
  await packer.pass(third)
  expect(sizes.length).toBe(1)
  expect((await finished(packer)).map(({ table }) => table.count)).toEqual([64])
})

it('two xorbs are on their way at once, and no more than 128 MiB are held', async () => {
  const arrivals: (() => void)[] = []
  const kept: number[] = []
  const packer = xorbPacker(
    () => new Promise<void>((arrive) => arrivals.push(arrive)),
    (bytes) => kept.push(bytes),
  )
  const fill = async () => {
    const own = { ...segment }
    for (let count = 0; count < 100; count += 1) await packer.add(chunk, hash, own)
  }
  // 100 chunks are 12.5 MiB: ten of them are 125, and the eleventh is still being filled.
  for (let count = 0; count < 11; count += 1) await fill()
  expect(arrivals.length).toBe(2)
  let isFilled = false
  const twelfth = fill().then(() => {
    isFilled = true
  })
  await setImmediate()
  expect([arrivals.length, isFilled, kept.length]).toEqual([2, false, 0])
  arrivals[0]?.()
  await twelfth
  expect([arrivals.length, isFilled]).toEqual([3, true])
  expect(kept).toEqual([100 * (chunk.length + 8)])
})
