import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from '@latchkey/testing/xet/making'
import { expect, it, onTestFinished } from 'vitest'
import { readParts } from '../../src/upload/read-parts.ts'

async function handleOf(content: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-read-parts-'))
  writeFileSync(join(folder, 'file'), content)
  const handle = await open(join(folder, 'file'))
  onTestFinished(async () => {
    await handle.close().catch(() => {})
    rmSync(folder, { recursive: true })
  })
  return handle
}

it.each([0, 1, 1_048_576, 3_500_000])('a file of %i bytes is read whole', async (length) => {
  const content = randomBytes(length, length)
  const parts: Buffer[] = []
  for await (const part of readParts(await handleOf(content))) parts.push(Buffer.from(part))
  expect(Buffer.concat(parts).equals(content)).toBe(true)
})

it('a handle that cannot be read is told', async () => {
  const handle = await handleOf(randomBytes(1, 10))
  await handle.close()
  await expect(readParts(handle).next()).rejects.toThrow()
})

it('a reader that stops early leaves nothing running', async () => {
  const handle = await handleOf(randomBytes(2, 4_000_000))
  for await (const part of readParts(handle)) if (part.length > 0) break
  await handle.close()
})

it('a part is read into the memory that is given, and no further', async () => {
  const content = randomBytes(3, 1_600_000)
  const parts = readParts(await handleOf(content))
  await parts.next()
  const memory = Buffer.alloc(300_000)
  const { value } = await parts.next(memory.subarray(0, 200_000))
  expect(value?.buffer === memory.buffer).toBe(true)
  const read = memory.subarray(0, 200_000)
  expect(read.equals(content.subarray(1_048_576, 1_248_576))).toBe(true)
  expect(memory.subarray(200_000).equals(Buffer.alloc(100_000))).toBe(true)
})
