/** This Node still has what is used of it without being documented. */

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { writeQueueSize } from '../src/http/undocumented-node.ts'

const whole = 64 * 1024 * 1024

/** A server's end of a connection whose client does not read yet. */
async function accepted(): Promise<{ readonly socket: Socket; readonly client: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  const [socket] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => void socket.destroy())
  return { socket, client: client.on('error', () => {}) }
}

test('a socket that has written nothing has a write queue, and it is empty', async () => {
  const { socket } = await accepted()
  expect(socket).toHaveProperty('_handle.writeQueueSize', 0)
  expect(writeQueueSize(socket)).toBe(0)
})

test('the write queue shrinks with every part that the kernel takes, writableLength does not', async () => {
  const { socket, client } = await accepted()
  socket.write(Buffer.alloc(whole))
  const full = writeQueueSize(socket)
  expect(full).toBeGreaterThan(0)
  expect(full).toBeLessThanOrEqual(whole)
  let left = whole / 2
  const half = Promise.withResolvers<void>()
  const count = (part: Buffer) => {
    left -= part.length
    if (left <= 0) half.resolve(void client.off('data', count).pause())
  }
  client.on('data', count).resume()
  await half.promise
  expect(socket.writableLength).toBe(whole)
  expect(writeQueueSize(socket)).toBeLessThan(full)
  client.resume()
  await once(socket, 'drain')
  expect(writeQueueSize(socket)).toBe(0)
})
