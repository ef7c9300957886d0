/** A body becomes a draft when it has arrived whole, and otherwise leaves nothing behind. */

import { existsSync, readFileSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buffers } from '../../src/objects/disk/buffers.ts'
import { writeBody } from '../../src/objects/disk/drafts.ts'
import { unlessFull } from '../../src/objects/file-errors.ts'
import { DiskFull } from '../../src/objects/object-store.ts'
import { inParts, openDisk, received } from './disk-world.ts'

async function* counted(parts: number, taken: { count: number }): AsyncGenerator<Uint8Array> {
  for (; taken.count < parts; taken.count += 1) yield Buffer.alloc(10)
}

describe('nothing stays of a body', () => {
  test('that is longer than it may be, and the rest of it is not read', async () => {
    const { objects, files } = openDisk()
    const taken = { count: 0 }
    expect(await objects.receive(counted(1000, taken), 25)).toBeUndefined()
    expect(taken.count).toBe(2)
    expect(files()).toEqual({})
  })

  test('that breaks off', async () => {
    const { objects, files } = openDisk()
    async function* broken() {
      yield Buffer.alloc(10)
      expect(Object.keys(files())).toHaveLength(1)
      throw new Error('the client went away')
    }
    await expect(objects.receive(broken(), 100)).rejects.toThrow('the client went away')
    expect(files()).toEqual({})
  })

  test('whose draft is discarded, once or twice', async () => {
    const { objects, files } = openDisk()
    const draft = await received(objects, Buffer.alloc(10))
    await draft.discard()
    await draft.discard()
    expect(files()).toEqual({})
  })
})

describe('a disk without room', () => {
  test.skipIf(!existsSync('/dev/full'))('is told in words of its own', async () => {
    const full = await open('/dev/full', 'w')
    const writing = unlessFull(() =>
      writeBody(full, { body: inParts(Buffer.alloc(100)), most: 100 }, buffers()),
    )
    await expect(writing).rejects.toThrow(DiskFull)
  })

  test.each(['ENOSPC', 'EDQUOT'])('is one that says %s, and no other', async (code) => {
    const failWith = (code: string) => () =>
      Promise.reject(Object.assign(new Error('no'), { code }))
    await expect(unlessFull(failWith(code))).rejects.toThrow(DiskFull)
    await expect(unlessFull(failWith('EIO'))).rejects.toThrow('no')
  })
})

describe('a draft', () => {
  test('holds what was sent, and how much it was', async () => {
    const { root, objects } = openDisk()
    const bytes = Buffer.from('some bytes that came in parts'.repeat(20))
    const draft = await received(objects, bytes)
    expect(draft.bytes).toBe(bytes.length)
    expect(readFileSync(join(root, 'drafts', draft.id))).toEqual(bytes)
  })

  test('may be as long as allowed, or empty', async () => {
    const { objects } = openDisk()
    expect(await objects.receive(inParts(Buffer.alloc(100)), 100)).toMatchObject({ bytes: 100 })
    expect(await objects.receive(inParts(Buffer.alloc(0)), 100)).toMatchObject({ bytes: 0 })
  })

  test('is for its owner alone, and so is every folder above it', async () => {
    const { root, objects, files } = openDisk()
    await received(objects, Buffer.alloc(10))
    expect(Object.values(files())).toEqual(['600'])
    for (const folder of [root, `${root}/drafts`]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700)
    }
  })

  test('holds half a mebibyte of a body at most, however slow the disk', async () => {
    const { root, objects, files } = openDisk()
    const held: number[] = []
    const part = Buffer.alloc(64 * 1024)
    async function* body() {
      for (let count = 0; count < 64; count += 1) {
        const [file = ''] = Object.keys(files())
        held.push(count * part.length - statSync(join(root, file)).size)
        yield part
      }
    }
    await objects.receive(body(), 64 * part.length)
    expect(Math.max(...held)).toBeLessThanOrEqual(512 * 1024)
  })
})
