/** Without sockets, blob URLs are read with fetch: still without a token, and nowhere else than the storage says over https. */

import { describe, expect, it, onTestFinished } from 'vitest'
import { blobReader } from '../../src/blob/fetch-reader.ts'
import type { BlobReader } from '../../src/download/download-calls.ts'
import { blobServer, plainAnswer, readFive } from './blob-server.ts'

function reader(): BlobReader {
  const made = blobReader()
  onTestFinished(() => made.close())
  return made
}

const misdelivered = { name: 'IntegrityError' }
const broken = { broken: { name: 'RangeFetchError' } }

describe('over fetch', () => {
  it('bytes come whole, and are asked for without a token, a cookie or a referrer', async () => {
    const server = await blobServer((socket) => socket.write(plainAnswer('bytes')))
    expect(await readFive(reader(), server.origin)).toEqual({ bytes: 5, into: 'bytes' })
    expect(server.heads.join()).toMatch(/\r\nrange: bytes=10-14\r\n/i)
    expect(server.heads.join()).not.toMatch(/authorization|cookie|referer/i)
  })

  // conformance: Attacks / 43. An attacker directs a blob URL to another origin or a private network
  it.each([
    ['of another host without https', 'http://cas.example'],
    ['of another port without https', 'http://127.0.0.1:1'],
    ['without https, from a storage that has it', 'https://127.0.0.1'],
  ])('a URL %s is not opened', async (_, storageUrl) => {
    const server = await blobServer((socket) => socket.write(plainAnswer('bytes')))
    const reading = readFive(reader(), server.origin, storageUrl)
    await expect(reading).rejects.toMatchObject(misdelivered)
    expect(server.connections()).toBe(0)
  })

  // conformance: Attacks / 43. An attacker directs a blob URL to another origin or a private network
  it('a redirect is not followed', async () => {
    const aim = await blobServer((socket) => socket.write(plainAnswer('bytes')))
    const head = `HTTP/1.1 302 Found\r\nLocation: ${aim.origin}/run\r\nContent-Length: 0\r\n\r\n`
    const server = await blobServer((socket) => socket.write(head))
    await expect(readFive(reader(), server.origin)).rejects.toMatchObject(misdelivered)
    expect(aim.connections()).toBe(0)
  })

  it.each([
    ['refuses', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\n\r\nbytes', 0],
    ['is longer', plainAnswer('many bytes'), 0],
    ['is shorter', plainAnswer('byt'), 3],
    ['breaks off', plainAnswer('bytes').slice(0, -2), 3],
    ['is none', 'SSH-2.0\r\n\r\n', 0],
  ])('an answer that %s is told to be broken', async (_, answer, bytes) => {
    const server = await blobServer((socket) => socket.end(answer))
    expect(await readFive(reader(), server.origin)).toMatchObject({ bytes, ...broken })
  })

  it('closing ends what is under way', async () => {
    const own = reader()
    const server = await blobServer((socket) => {
      socket.write(plainAnswer('bytes').slice(0, -2))
      setImmediate(() => own.close())
    })
    expect(await readFive(own, server.origin)).toMatchObject(broken)
  })

  it('nothing is opened after closing', async () => {
    const own = reader()
    const server = await blobServer((socket) => socket.write(plainAnswer('bytes')))
    own.close()
    expect(await readFive(own, server.origin)).toMatchObject(broken)
    expect(server.connections()).toBe(0)
  })
})
