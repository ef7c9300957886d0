/** Which connection ends when all of them are taken. */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import v8 from 'node:v8'
import { refuse } from '@latchkey/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectionsWithinHeap } from '../src/http/connection-table.ts'
import { type Listener, type ListenerOptions, listen } from '../src/http/listener.ts'
import { pooledRandom } from '../src/machine/random.ts'

/** Requests for `/wait` are never answered. */
async function start(change: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = await listen({
    ...{ name: 'shop', host: '127.0.0.1', port: 0, connections: 8, hosts: ['x'] },
    randomBytes: pooledRandom(),
    serve: ({ url }, response) => (url === '/wait' ? undefined : response.end('served')),
    unknownMethod: refuse('method_not_allowed', 'Only GET is known here.', { allow: 'GET' }),
    ...change,
  })
  onTestFinished(() => listener.stop(0))
  return listener
}

interface Line {
  readonly socket: Socket
  /** Whether it was served; false if the connection has ended instead. */
  ask(): Promise<boolean>
  isOpen(): boolean
}

/** A connection from 127.0.0.N; the listener has accepted it once it has answered. */
async function line({ url }: Listener, from: number): Promise<Line> {
  const localAddress = `127.0.0.${from}`
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress })
  onTestFinished(() => void socket.destroy())
  let isOpen = true
  socket.on('error', () => {})
  const closed = once(socket, 'close').then(() => {
    isOpen = false
    return false
  })
  const ask = () => {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    return Promise.race([once(socket, 'data').then(() => true), closed])
  }
  await ask()
  return { socket, ask, isOpen: () => isOpen }
}

async function lines(listener: Listener, ...addresses: number[]): Promise<Line[]> {
  const opened: Line[] = []
  for (const from of addresses) opened.push(await line(listener, from))
  return opened
}

/** Leaves the connection with a request under way. */
async function keepBusy({ socket }: Line): Promise<void> {
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /wait HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
}

const openOf = (all: readonly Line[]) => all.map((one) => one.isOpen())

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('four addresses that hold all connections let a fifth in, and the largest loses its longest idle one', async () => {
  const listener = await start()
  const held = await lines(listener, 2, 3, 3, 3, 4, 4, 5, 5)
  // Its first connection is used again, so the second has been idle for longest.
  expect(await held[1]?.ask()).toBe(true)
  const newcomer = await line(listener, 6)
  expect(newcomer.isOpen()).toBe(true)
  await expect.poll(() => openOf(held)).toEqual([true, true, false, true, true, true, true, true])
})

test('an address that opens more and more connections displaces only its own', async () => {
  const listener = await start()
  const few = await lines(listener, 2, 2, 3)
  const many = await lines(listener, ...Array<number>(30).fill(4))
  expect(openOf(few)).toEqual([true, true, true])
  await expect.poll(() => openOf(many).filter(Boolean)).toHaveLength(5)
  for (const one of few) expect(await one.ask()).toBe(true)
})

test('without an idle connection the largest address gets no more, and an address with fewer does', async () => {
  const listener = await start()
  const held = await lines(listener, 2, 2, 2, 2, 2, 3, 3, 3)
  for (const one of held) await keepBusy(one)
  expect((await line(listener, 2)).isOpen()).toBe(false)
  expect(openOf(held)).toEqual(Array(8).fill(true))
  expect((await line(listener, 4)).isOpen()).toBe(true)
  await expect.poll(() => openOf(held)).toEqual([false, ...Array(7).fill(true)])
})

test('a connection whose headers do not arrive is idle', async () => {
  const listener = await start()
  const held = await lines(listener, ...Array<number>(8).fill(2))
  for (const { socket } of held) socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  expect((await line(listener, 3)).isOpen()).toBe(true)
  await expect.poll(() => openOf(held)).toEqual([false, ...Array(7).fill(true)])
})

test('one address has a quarter of the connections, and a trusted proxy has any number', async () => {
  const listener = await start({ connections: 101, trustedProxies: ['127.0.0.9'] })
  const client = await lines(listener, ...Array<number>(27).fill(2))
  await expect.poll(() => openOf(client).filter(Boolean)).toHaveLength(25)
  const proxy = await lines(listener, ...Array<number>(40).fill(9))
  expect(openOf(proxy)).toEqual(Array(40).fill(true))
})

test('a trusted proxy loses a connection only after every client of its own has at most one', async () => {
  const listener = await start({ trustedProxies: ['127.0.0.9'] })
  const proxy = await lines(listener, 9, 9, 9, 9, 9)
  const client = await lines(listener, 2, 2, 2)
  await lines(listener, 3, 4)
  await expect.poll(() => openOf(client)).toEqual([false, false, true])
  expect(openOf(proxy)).toEqual(Array(5).fill(true))
})

test('a listener takes no more connections than half of the free heap has room for, with two heads of each', () => {
  const mib = 1024 * 1024
  const within = (limitMib: number, usedMib: number) => {
    const heap = { heap_size_limit: limitMib * mib, used_heap_size: usedMib * mib }
    return connectionsWithinHeap(10_000, 96 * 1024, { ...v8.getHeapStatistics(), ...heap })
  }
  // As Node starts on a machine with memory enough, and with --max-old-space-size=96.
  expect([within(4192, 60), within(192, 40)]).toEqual([9934, 137])
  expect(within(100, 90)).toBe(64)
})

test('a listener with a small heap ends the longest idle of too many connections', async () => {
  const heap = { ...v8.getHeapStatistics(), heap_size_limit: 0 }
  const spy = vi.spyOn(v8, 'getHeapStatistics').mockReturnValue(heap)
  onTestFinished(() => spy.mockRestore())
  const listener = await start({ connections: 10_000 })
  const lines: Line[] = []
  for (let from = 10; from < 75; from += 1) {
    const one = await line(listener, from)
    await one.ask()
    lines.push(one)
  }
  await expect.poll(() => lines.filter((one) => one.isOpen()).length).toBe(64)
})
