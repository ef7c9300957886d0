/** Bytes of blob URLs are read whole or told to be broken, over connections that stay open and go nowhere else. */

import { setImmediate } from 'node:timers/promises'
import { selfSigned } from '@latchkey/testing/tls/certificates'
import { describe, expect, it, onTestFinished } from 'vitest'
import { maxHeadBytes } from '../../src/blob/blob-head.ts'
import { blobReader } from '../../src/blob/blob-reader.ts'
import { blobServer, plainAnswer, reader, readFive } from './blob-server.ts'

const whole = { bytes: 5, into: 'bytes' }

describe('a connection', () => {
  it('is used again, and each time without a token', async () => {
    const server = await blobServer((socket) => socket.write(plainAnswer('bytes')))
    const own = reader()
    for (const _ of [1, 2, 3]) expect(await readFive(own, server.origin)).toEqual(whole)
    expect(server.connections()).toBe(1)
    expect(server.heads[2]).toMatch(/^GET \/run\?signed HTTP\/1\.1\r\n/)
    expect(server.heads[2]).toMatch(/\r\nRange: bytes=10-14\r\n/)
    expect(server.heads.join()).not.toMatch(/authorization|cookie/i)
  })

  it('that is open does not open a URL that may not be opened', async () => {
    const server = await blobServer((socket) => socket.write(plainAnswer('bytes')))
    const own = reader()
    await readFive(own, server.origin)
    await expect(readFive(own, server.origin, 'https://192.0.2.1')).rejects.toMatchObject({
      name: 'IntegrityError',
    })
    expect(server.heads).toHaveLength(1)
  })

  it('with a certificate that is not trusted sends nothing, and the reason has its code', async () => {
    const own = selfSigned({ names: ['localhost'] })
    const server = await blobServer((socket) => socket.write(plainAnswer('bytes')), own)
    const { broken } = await readFive(reader(), server.origin.replace('127.0.0.1', 'localhost'))
    expect(broken?.message).toBe(
      "the storage's own URL cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT)",
    )
    expect(server.heads).toEqual([])
  })

  it('to an address that the name no longer has is not used', async () => {
    const server = await blobServer((socket) => socket.write(plainAnswer('bytes')))
    const addresses = ['127.0.0.1', '127.0.0.1', '127.0.0.2']
    const own = blobReader(async () => [{ address: addresses.shift() ?? '', family: 4 }])
    onTestFinished(() => own.close())
    const named = server.origin.replace('127.0.0.1', 'cas.example')
    for (const _ of [1, 2]) expect(await readFive(own, named)).toEqual(whole)
    // Nobody listens there.
    expect(await readFive(own, named)).toMatchObject({
      bytes: 0,
      broken: { name: 'RangeFetchError' },
    })
    expect([server.connections(), server.heads.length]).toEqual([1, 2])
  })

  it('serves one request at a time', async () => {
    const server = await blobServer((socket) => socket.write(plainAnswer('bytes')))
    const own = reader()
    await readFive(own, server.origin)
    await Promise.all([1, 2, 3].map(() => readFive(own, server.origin)))
    expect(server.connections()).toBe(3)
  })

  it('on which bytes come behind an answer is not used again', async () => {
    // All but the last byte fills the memory for heads, so that what follows is read apart.
    const padding = maxHeadBytes + 1 - plainAnswer('bytes', 'Padding: \r\n').length
    const answer = plainAnswer('bytes', `Padding: ${'x'.repeat(padding)}\r\n`)
    const server = await blobServer((socket) => socket.write(`${answer}more`))
    const own = reader()
    expect(await readFive(own, server.origin)).toEqual(whole)
    await setImmediate()
    expect(await readFive(own, server.origin)).toEqual(whole)
    expect([server.connections(), server.heads.length]).toEqual([2, 2])
  })

  it('that the server closes at that moment is opened anew', async () => {
    const server = await blobServer((socket, _, count) =>
      count === 2 ? socket.destroy() : socket.write(plainAnswer('bytes')),
    )
    const own = reader()
    expect(await readFive(own, server.origin)).toEqual(whole)
    expect(await readFive(own, server.origin)).toEqual(whole)
    expect([server.connections(), server.heads.length]).toEqual([2, 3])
  })

  it('is not used again when the server says so, or sends more than was asked for', async () => {
    const server = await blobServer((socket, _, count) =>
      socket.write(
        count === 1 ? plainAnswer('bytes', 'Connection: close\r\n') : plainAnswer('bytes'),
      ),
    )
    const own = reader()
    for (const _ of [1, 2]) expect(await readFive(own, server.origin)).toEqual(whole)
    expect(server.connections()).toBe(2)
    const chatty = await blobServer((socket) => socket.write(`${plainAnswer('bytes')}more`))
    expect(await readFive(own, chatty.origin)).toMatchObject({ bytes: 0 })
  })
})

describe('an answer', () => {
  it('is the same however it comes in parts', async () => {
    const server = await blobServer(async (socket) => {
      for (const byte of plainAnswer('bytes')) {
        await new Promise((written) => socket.write(byte, written))
      }
    })
    expect(await readFive(reader(), server.origin)).toEqual(whole)
  })

  it.each([
    [
      'in chunks',
      'HTTP/1.1 206 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nby\r\n3\r\ntes\r\n0\r\n\r\n',
    ],
    ['after another one', `HTTP/1.1 103 Early Hints\r\n\r\n${plainAnswer('bytes')}`],
    ['until the connection ends', 'HTTP/1.1 206 OK\r\nConnection: close\r\n\r\nbytes'],
    ['of the first version', 'HTTP/1.0 206 OK\r\nContent-Length: 5\r\n\r\nbytes'],
  ])('that comes %s is read as well', async (name, answer) => {
    const server = await blobServer((socket) => {
      socket.write(answer)
      if (name.startsWith('until')) socket.end()
    })
    const own = reader()
    for (const _ of [1, 2]) expect(await readFive(own, server.origin)).toEqual(whole)
    // Asked twice the first time only: then it is known.
    expect(server.heads).toHaveLength(3)
  })

  it.each([
    [
      '403',
      'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n',
      'responded with 403 to its own URL',
    ],
    [
      'in chunks with 403',
      'HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'responded with 403',
    ],
    ['fewer bytes', plainAnswer('byte'), 'more or fewer bytes than announced'],
    ['more bytes', plainAnswer('bytes!'), 'more or fewer bytes than announced'],
    [
      'more bytes in chunks',
      'HTTP/1.1 206 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nbytes!\r\n0\r\n\r\n',
      'more or fewer',
    ],
    ['no HTTP', 'hello\r\n\r\n', 'stopped in the middle of its response'],
    [
      'two lengths',
      'HTTP/1.1 206 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nbytes',
      'stopped in the middle',
    ],
  ])('of %s gives no bytes, and a new URL may mend it', async (_, answer, message) => {
    const server = await blobServer((socket) => socket.write(answer))
    const { bytes, broken } = await readFive(reader(), server.origin)
    expect([bytes, broken?.name]).toEqual([0, 'RangeFetchError'])
    expect(broken?.message).toContain(message)
  })

  it('that breaks off tells what came of it', async () => {
    const server = await blobServer((socket) => socket.end(plainAnswer('bytes').slice(0, -2)))
    expect(await readFive(reader(), server.origin)).toMatchObject({
      ...{ bytes: 3, into: 'byt\0\0' },
      broken: { message: 'the storage stopped in the middle of its response' },
    })
  })

  it.each([301, 302, 307])('with a redirect of %i is not followed', async (status) => {
    const server = await blobServer((socket) =>
      socket.write(`HTTP/1.1 ${status} Moved\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n`),
    )
    await expect(readFive(reader(), server.origin)).rejects.toMatchObject({
      name: 'IntegrityError',
    })
    expect(server.heads).toHaveLength(1)
  })
})

it('nobody there is told as broken', async () => {
  expect(await readFive(reader(), 'http://127.0.0.1:1')).toMatchObject({ bytes: 0 })
})

describe('closing ends what is under way, and nothing is opened after it', () => {
  const isBroken = {
    broken: {
      name: 'RangeFetchError',
      message: 'the storage stopped in the middle of its response',
    },
  }

  it('on a new connection', async () => {
    const own = reader()
    const server = await blobServer(() => own.close())
    expect(await readFive(own, server.origin)).toMatchObject({ bytes: 0, ...isBroken })
  })

  it('on a connection that was kept', async () => {
    const own = reader()
    const server = await blobServer((socket, _, count) => {
      if (count === 1) socket.write(plainAnswer('bytes'))
      else own.close()
    })
    expect(await readFive(own, server.origin)).toEqual(whole)
    expect(await readFive(own, server.origin)).toMatchObject({ bytes: 0, ...isBroken })
    expect(server.heads).toHaveLength(2)
  })

  it('while a name is looked up', async () => {
    const server = await blobServer((socket) => socket.write(plainAnswer('bytes')))
    const own = blobReader(async () => {
      own.close()
      return [{ address: '127.0.0.1', family: 4 }]
    })
    expect(await readFive(own, server.origin)).toMatchObject({ bytes: 0, ...isBroken })
    expect(server.connections()).toBe(0)
  })

  it.each([
    ['before it begins', ''],
    ['in the middle', '2\r\nby\r\n'],
  ])('in an answer in chunks, %s', async (_, begun) => {
    const own = reader()
    const ended = Promise.withResolvers<void>()
    const head = 'HTTP/1.1 206 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
    const server = await blobServer((socket, _, count) => {
      socket.write(count === 1 || begun !== '' ? head + begun : '')
      if (count === 1) return
      socket.on('close', () => ended.resolve())
      setImmediate().then(() => own.close())
    })
    expect(await readFive(own, server.origin)).toMatchObject(isBroken)
    await ended.promise
  })
})
