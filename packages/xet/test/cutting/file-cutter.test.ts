/** Large files are cut on a thread: in the same places, and nothing of it is left running. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { randomBytes } from '@latchkey/testing/xet/making'
import { expect, it, onTestFinished } from 'vitest'
import { chunkEnds, slotBytes } from '../../src/cutting/cut-slots.ts'
import { type FileCutter, fileCutter } from '../../src/cutting/file-cutter.ts'
import { inPieces } from '../moving.ts'

function opened(): FileCutter {
  const cutter = fileCutter()
  onTestFinished(cutter.end)
  return cutter
}

async function endsOf(cutter: FileCutter, data: Uint8Array): Promise<number[]> {
  const ends: number[] = []
  for await (const { chunks } of cutter.cut(inPieces(data))) {
    for (const { bytes } of chunks) ends.push((ends.at(-1) ?? 0) + bytes.length)
  }
  return ends
}

it.each([-1, 0, 1])('around the end of a slot nothing is lost: %i', async (more) => {
  const cutter = opened()
  for (const slots of [1, 2, 6]) {
    const data = randomBytes(`${slots}`, slots * slotBytes + more)
    expect(await endsOf(cutter, data)).toEqual([...chunkEnds(data)])
  }
})

it('a source may read into the memory that it is given, or not, from one part to the next', async () => {
  const data = randomBytes('memory', 5 * slotBytes)
  async function* mixed(): AsyncGenerator<Uint8Array, void, Uint8Array | undefined> {
    let given: Uint8Array | undefined
    for (let [at, count] = [0, 0]; at < data.length; count += 1) {
      const some = data.subarray(at, at + Math.min(300_000, given?.length ?? 300_000))
      at += some.length
      if (count % 3 > 0) given?.set(some)
      given = yield (count % 3 > 0 ? given?.subarray(0, some.length) : undefined) ?? some
    }
  }
  const parts: Buffer[] = []
  for await (const { chunks } of opened().cut(mixed())) {
    for (const { bytes } of chunks) parts.push(Buffer.from(bytes))
  }
  expect(Buffer.concat(parts).equals(data)).toBe(true)
})

it('a file that is given up in the middle leaves nothing in the next one', async () => {
  const cutter = opened()
  const [given, next] = [randomBytes('given', 8 * slotBytes), randomBytes('next', 8 * slotBytes)]
  for await (const { chunks } of cutter.cut(inPieces(given))) if (chunks.length > 0) break
  expect(await endsOf(cutter, next)).toEqual([...chunkEnds(next)])
})

it('a file whose data breaks off is told why, and its source is closed', async () => {
  let isClosed = false
  async function* breaking(): AsyncGenerator<Uint8Array> {
    try {
      yield randomBytes('breaks', 3 * slotBytes)
      throw new Error('the disk is gone')
    } finally {
      isClosed = true
    }
  }
  const cutting = async () => {
    for await (const { chunks } of opened().cut(breaking())) expect(chunks).toBeDefined()
  }
  await expect(cutting()).rejects.toThrow('the disk is gone')
  expect(isClosed).toBe(true)
})

it('what is being cut when the thread is ended fails, and waits for nothing', async () => {
  const cutter = opened()
  const cutting = async () => {
    for await (const { chunks } of cutter.cut(inPieces(randomBytes(1, 9 * slotBytes)))) {
      if (chunks.length > 0) cutter.end()
    }
  }
  await expect(cutting()).rejects.toThrow('the thread that cuts files ended')
})

it('an upload that is never finished keeps no process alive', async () => {
  const upload = new URL('../../src/upload/upload-files.ts', import.meta.url)
  const program = `
    const { startUpload } = await import(${JSON.stringify(upload.href)})
    const nothing = async () => undefined
    const calls = { findChunk: nothing, hasFile: nothing, sendXorb: nothing, sendShard: nothing }
    const data = async function* () { for (let i = 0; i < 4; i += 1) yield Buffer.alloc(1048576, i) }
    const { bytes } = await startUpload(calls).add(data())
    console.log(bytes)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect([said.trim(), code]).toEqual(['4194304', 0])
})
