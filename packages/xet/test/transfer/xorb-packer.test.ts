import { setImmediate } from 'node:timers/promises'
import { randomBytes } from '@latchkey/testing/xet/making'
import { expect, it } from 'vitest'
import { chunkHash } from '../../src/format/hashing.ts'
import { xorbPacker } from '../../src/transfer/xorb-packer.ts'

const chunk = randomBytes(1, 128 * 1024)
const tiny = Buffer.from('x')
const hash = chunkHash(tiny)

it('a xorb that cannot be sent is told by whoever adds the next, and in the end', async () => {
  const packer = xorbPacker(async () => {
    throw new Error('no room')
  })
  const adding = async () => {
    for (;;) await packer.add(tiny, hash)
  }
  await expect(adding()).rejects.toThrow('no room')
  await expect(packer.finish()).rejects.toThrow('no room')
})

it('no xorb has more than 64 MiB or 8192 chunks', async () => {
  const sizes: number[] = []
  const packer = xorbPacker(async (_, parts) => void sizes.push(Buffer.concat(parts).length))
  for (let count = 0; count < 520; count += 1) await packer.add(chunk, hash)
  for (let count = 0; count < 8300; count += 1) await packer.add(tiny, hash)
  const sent = await packer.finish()
  expect(sent.map(({ table }) => table.count)).toEqual([511, 8192, 117])
  expect(sizes).toEqual(sent.map(({ table }) => table.packedBytes))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024 * 1024)
})

it('a xorb is on its way while the next is filled, and a third waits for it', async () => {
  const events: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const packer = xorbPacker(async () => {
    events.push('sends')
    await promise
  })
  for (let count = 0; count < 2 * 8192; count += 1) await packer.add(tiny, hash)
  expect(events).toEqual(['sends'])
  const third = packer.add(tiny, hash).then(() => events.push('third'))
  await setImmediate()
  expect(events).toEqual(['sends'])
  resolve()
  await third
  expect(events).toEqual(['sends', 'sends', 'third'])
})
