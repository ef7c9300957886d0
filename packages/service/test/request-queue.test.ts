/** What is promised to requests that arrive faster than they can be answered. */

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { refuse } from '@latchkey/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Serve } from '../src/http/call.ts'
import { listen } from '../src/http/listener.ts'
import { type RequestQueue, requestQueue } from '../src/http/request-queue.ts'
import { pooledRandom } from '../src/machine/random.ts'

/** Much longer than a slice: the time that a request takes before it is answered or waits for something. */
const workMs = 5

interface Arrived {
  readonly number: number
  destroyed: boolean
}

/** Requests that arrive in one turn of the event loop, by their numbers, on a clock that moves while one is served. */
function arrivals(count: number, { maxWaitMs = 60_000, work = workMs } = {}) {
  let now = 0
  const ends: string[] = []
  const queue = requestQueue({
    maxWaitMs,
    flowOf: () => '',
    refuse: (_request, response) => ends.push(`refused ${numberOf(response)}`),
    onSlice: () => {},
    stopwatch: () => now,
  })
  const serve = queue.through((_request, response) => {
    now += work
    ends.push(`served ${numberOf(response)}`)
  })
  const arrived: Arrived[] = Array.from({ length: count }, (_, number) => ({
    number,
    destroyed: false,
  }))
  const arrive = () => {
    for (const one of arrived) serve(nothing, one as unknown as ServerResponse)
  }
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { arrive, arrived, ends, queue, pass }
}

function numberOf(response: ServerResponse): number {
  return (response as unknown as Arrived).number
}

const nothing = { rawHeaders: [] as string[] } as IncomingMessage

const turn = () => new Promise<void>((next) => void setImmediate(next))

async function untilEmpty(queue: RequestQueue): Promise<void> {
  while (queue.size() > 0) await turn()
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

const inOrder = (count: number) => Array.from({ length: count }, (_, number) => `served ${number}`)

test('a lone request is served at once', async () => {
  const { arrive, ends, queue } = arrivals(1)
  arrive()
  expect([ends, queue.size()]).toEqual([['served 0'], 0])
  await turn()
  arrive()
  expect(ends).toHaveLength(2)
})

test('requests beyond the time of a turn wait, and are served in their order', async () => {
  const { arrive, ends, queue } = arrivals(5)
  arrive()
  expect([ends, queue.size()]).toEqual([['served 0'], 4])
  await untilEmpty(queue)
  expect(ends).toEqual(inOrder(5))
})

test('those that arrive while others wait are served after them', async () => {
  const { arrive, ends, queue } = arrivals(2)
  arrive()
  arrive()
  await untilEmpty(queue)
  expect(ends).toEqual(['served 0', 'served 1', 'served 0', 'served 1'])
})

test('the event loop turns after each slice', async () => {
  const { arrive, ends, queue } = arrivals(10)
  arrive()
  const seen: number[] = []
  while (queue.size() > 0) {
    seen.push(ends.length)
    await turn()
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('slices are longer when requests have waited long, so that fewer connections are accepted', async () => {
  const { arrive, ends, queue, pass } = arrivals(10)
  arrive()
  pass(1000)
  await turn()
  expect(ends).toHaveLength(5)
  await untilEmpty(queue)
})

test('what a request does after it was begun counts as its time', async () => {
  let now = 0
  let begun = 0
  const queue = requestQueue({
    ...{ maxWaitMs: 60_000, flowOf: () => '', refuse() {}, onSlice() {} },
    stopwatch: () => now,
  })
  const serve = queue.through(async () => {
    begun += 1
    await undefined
    now += workMs
  })
  const arrive = () => serve(nothing, { destroyed: false } as ServerResponse)
  arrive()
  await undefined
  for (let left = 9; left > 0; left -= 1) arrive()
  expect([begun, queue.size()]).toEqual([1, 9])
  await turn()
  expect([begun, queue.size()]).toEqual([2, 8])
})

test('a request that has waited too long is refused, and a later one is not', async () => {
  const { arrive, ends, queue, pass } = arrivals(3, { maxWaitMs: 1000 })
  arrive()
  pass(1001)
  await untilEmpty(queue)
  expect(ends).toEqual(['served 0', 'refused 1', 'refused 2'])
  await turn()
  arrive()
  await untilEmpty(queue)
  expect(ends.slice(3)).toEqual(inOrder(3))
})

test('a request whose client has gone is neither served nor refused', async () => {
  const { arrive, arrived, ends, queue } = arrivals(3)
  arrive()
  Object.assign(arrived[1] ?? {}, { destroyed: true })
  await untilEmpty(queue)
  expect(ends).toEqual(['served 0', 'served 2'])
})

test('requests that are answered at once share a slice, and beyond it the event loop turns', async () => {
  let now = 0
  const served: number[] = []
  const queue = requestQueue({
    ...{ maxWaitMs: 60_000, flowOf: () => '', refuse() {}, onSlice() {} },
    stopwatch: () => now,
  })
  const serve = queue.through((_request, response) => {
    now += 0.4
    served.push(numberOf(response))
    Object.assign(response, { writableEnded: true })
  })
  for (let number = 0; number < 9; number += 1) {
    serve(nothing, { number, destroyed: false } as unknown as ServerResponse)
  }
  const seen: number[] = []
  while (queue.size() > 0) {
    seen.push(served.length)
    await turn()
  }
  expect(seen).toEqual([3, 6])
  expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
})

test('a request that was served does not stay in memory while others wait', async () => {
  const { arrive, arrived, queue } = arrivals(10)
  const second = new WeakRef(arrived[1] ?? {})
  arrive()
  await turn()
  arrived.length = 0
  await turn()
  collectGarbage()
  expect([second.deref(), queue.size() > 0]).toEqual([undefined, true])
  await untilEmpty(queue)
})

test('thousands can wait', async () => {
  const { arrive, ends, queue } = arrivals(3000, { work: 0.9 })
  arrive()
  expect(queue.size()).toBe(2998)
  await untilEmpty(queue)
  expect(ends).toEqual(inOrder(3000))
})

/** Requests that wait forever, of flows that their URLs name. */
function crowd(bytes: number) {
  let now = 0
  const cut: string[] = []
  const queue = requestQueue({
    ...{ maxWaitMs: 60_000, refuse() {}, onSlice() {} },
    flowOf: ({ url = '' }) => url,
    stopwatch: () => now,
  })
  const serve = queue.through(() => {
    now += workMs
  })
  const arrive = (url: string) =>
    serve(
      {
        ...{ url, rawHeaders: ['Cookie', 'x'.repeat(bytes)] },
        socket: { destroy: () => cut.push(url) },
      } as unknown as IncomingMessage,
      { destroyed: false } as ServerResponse,
    )
  return { arrive, cut, queue }
}

test('a flow has a bound in memory: beyond it a client loses its connection, and other flows none', async () => {
  const { arrive, cut, queue } = crowd(95_000)
  for (let left = 1000; left > 0; left -= 1) arrive('greedy')
  const waited = queue.size()
  expect([waited > 100, waited < 300, cut.length]).toEqual([true, true, 1000 - 1 - waited])
  arrive('modest')
  expect([queue.size(), cut.includes('modest')]).toEqual([waited + 1, false])
  await untilEmpty(queue)
  // Those that were served wait no more.
  for (let left = 100; left > 0; left -= 1) arrive('greedy')
  expect(cut).toHaveLength(999 - waited)
  await untilEmpty(queue)
})

test('a flow with little in memory finds a place when many others have filled theirs', async () => {
  const { arrive, cut, queue } = crowd(95_000)
  for (let left = 3000; left > 0; left -= 1) arrive(`greedy ${left % 20}`)
  expect(cut.length).toBeGreaterThan(1000)
  arrive('modest')
  expect(cut).not.toContain('modest')
  await untilEmpty(queue)
})

test('a request of another flow is next, however many of one wait', async () => {
  let now = 0
  const served: string[] = []
  const queue = requestQueue({
    ...{ maxWaitMs: 60_000, refuse() {}, onSlice() {} },
    flowOf: ({ url = '' }) => url,
    stopwatch: () => now,
  })
  const serve = queue.through(({ url = '' }) => {
    now += workMs
    served.push(url)
  })
  const arrive = (url: string) =>
    serve(
      { url, rawHeaders: [] as string[] } as IncomingMessage,
      { destroyed: false } as ServerResponse,
    )
  for (let left = 200; left > 0; left -= 1) arrive('many')
  await turn()
  arrive('few')
  await untilEmpty(queue)
  expect(served.indexOf('few')).toBeLessThan(5)
  expect(served).toHaveLength(201)
})

/** Requests whose URLs name their lane and their flow, on a clock that moves while one is served. */
function lanes() {
  let now = 0
  const served: string[] = []
  const queue = requestQueue({
    ...{ maxWaitMs: 60_000, refuse() {}, onSlice() {} },
    flowOf: ({ url = '' }) => url.slice(url.indexOf(' ') + 1),
    goesFirst: ({ url = '' }) => url.startsWith('first '),
    isLimited: ({ url = '' }) => url.endsWith(' failing'),
    stopwatch: () => now,
  })
  const serveAfter = (work: number) =>
    queue.through(({ url = '' }) => {
      now += work
      served.push(url)
    })
  const arrive = (url: string, work = workMs) =>
    serveAfter(work)(
      { url, rawHeaders: [] as string[] } as IncomingMessage,
      { destroyed: false } as ServerResponse,
    )
  return { arrive, served, queue }
}

test('requests that go first are served before those that wait', async () => {
  const { arrive, served, queue } = lanes()
  for (const url of ['usual a', 'usual a', 'usual b', 'first a', 'first b']) arrive(url)
  await untilEmpty(queue)
  expect(served.slice(0, 3)).toEqual(['usual a', 'first a', 'usual a'])
  expect(served.indexOf('first b')).toBe(3)
})

test('requests of one address that go first delay no others, whether these go first or not', async () => {
  const { arrive, served, queue } = lanes()
  for (let left = 1001; left > 0; left -= 1) arrive('first many')
  arrive('usual few')
  arrive('first few')
  expect(queue.size()).toBe(1002)
  await untilEmpty(queue)
  expect(served.indexOf('usual few')).toBeLessThan(4)
  expect(served.indexOf('first few')).toBeLessThan(4)
  expect(served).toHaveLength(1003)
})

test('requests that go first take about a quarter of the time, however short they are', async () => {
  const { arrive, served, queue } = lanes()
  arrive('usual a', 1)
  for (let left = 1000; left > 0; left -= 1) arrive('first many', 0.125)
  for (let left = 50; left > 0; left -= 1) arrive('usual few', 0.125)
  await untilEmpty(queue)
  const before = served.slice(0, served.lastIndexOf('usual few'))
  expect(before.filter((url) => url === 'first many').length).toBeLessThan(50 / 2)
})

test('a request of an address that has failed too often does not go first', async () => {
  // On a busy machine their pause may be over before the second turn.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { arrive, served, queue } = lanes()
  for (const url of ['usual a', 'first failing', 'first failing', 'usual b', 'usual b']) arrive(url)
  await turn()
  await turn()
  expect(served).toEqual(['usual a', 'usual b', 'usual b'])
  for (let left = 2; left > 0; left -= 1) {
    vi.runOnlyPendingTimers()
    await turn()
  }
  expect(served.slice(3)).toEqual(['first failing', 'first failing'])
  expect(queue.size()).toBe(0)
})

test('a request that goes first is refused, too, when it has waited too long', async () => {
  let now = 0
  const ends: string[] = []
  const queue = requestQueue({
    ...{ maxWaitMs: 12, flowOf: () => '', onSlice() {}, goesFirst: () => true },
    refuse: () => ends.push('refused'),
    stopwatch: () => now,
  })
  const serve = queue.through(() => {
    now += workMs
    ends.push('served')
  })
  for (let left = 5; left > 0; left -= 1) serve(nothing, { destroyed: false } as ServerResponse)
  await untilEmpty(queue)
  expect(ends).toEqual(['served', 'served', 'served', 'served', 'refused'])
})

test('limited requests come after the others, and are served all the same', async () => {
  const served: string[] = []
  const queue = requestQueue({
    ...{ maxWaitMs: 60_000, refuse() {}, onSlice() {} },
    flowOf: ({ url = '' }) => url,
    isLimited: ({ url }) => url === 'limited',
  })
  const serve = queue.through(({ url = '' }) => {
    const until = performance.now() + workMs
    while (performance.now() < until);
    served.push(url)
  })
  const arrive = (url: string) =>
    serve(
      { url, rawHeaders: [] as string[] } as IncomingMessage,
      { destroyed: false } as ServerResponse,
    )
  arrive('first')
  for (let left = 20; left > 0; left -= 1) arrive('limited')
  for (let left = 3; left > 0; left -= 1) arrive('other')
  await expect.poll(() => served).toHaveLength(24)
  // One limited request at most between two others.
  expect(served.lastIndexOf('other')).toBeLessThan(10)
})

/** A listener whose requests take long, and connections to it that are open. */
async function busyListener(connections: number, { servesHealth = true } = {}) {
  let refused = 0
  const serve: Serve = ({ url }, response) => {
    const until = performance.now() + (url === '/' ? 60 : 0)
    while (performance.now() < until);
    response.end('served')
  }
  const listener = await listen({
    ...{ name: 'shop', host: '127.0.0.1', port: 0, connections: 100, hosts: [] },
    ...{ randomBytes: pooledRandom(), serve },
    queue: {
      maxWaitMs: 50,
      goesFirst: ({ url }) => url === '/first',
      onSlice() {},
      refuse(_request, response) {
        refused += 1
        response.writeHead(503).end('too late')
      },
    },
    unknownMethod: refuse('method_not_allowed', 'Only GET is known here.', { allow: 'GET' }),
    servesHealth,
  })
  onTestFinished(() => listener.stop(0))
  const { port } = new URL(listener.url)
  const heard: string[] = []
  const sockets = Array.from({ length: connections }, (_, index) => {
    const socket = connect(Number(port), '127.0.0.1')
    heard.push('')
    socket.on('data', (chunk) => {
      heard[index] += String(chunk)
    })
    onTestFinished(() => void socket.destroy())
    return socket
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const ask = (index: number, path: string) =>
    sockets[index]?.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  // Node accepts one connection in a turn: all of them are accepted once they have had an answer.
  for (const index of sockets.keys()) ask(index, '/warm')
  await expect.poll(() => heard.every((text) => text !== '')).toBe(true)
  heard.fill('')
  return { ask, heard, refused: () => refused }
}

test('a listener refuses what has waited too long, and keeps the connection', async () => {
  const { ask, heard, refused } = await busyListener(4)
  for (const index of [0, 1, 2, 3]) ask(index, '/')
  await expect.poll(() => heard.every((text) => text !== '')).toBe(true)
  const late = heard.findIndex((text) => text.startsWith('HTTP/1.1 503 '))
  expect(heard[late]).toMatch(/\r\nConnection: keep-alive\r\n/)
  expect(heard.filter((text) => text.startsWith('HTTP/1.1 503 '))).toHaveLength(refused())
  heard[late] = ''
  ask(late, '/once-more')
  await expect.poll(() => heard[late]).toMatch(/^HTTP\/1\.1 200 /)
})

test('a listener that serves no health checks lets requests for them wait like others', async () => {
  const { ask, heard } = await busyListener(4, { servesHealth: false })
  for (const index of [0, 1, 2]) ask(index, '/')
  ask(3, '/healthz')
  await expect.poll(() => heard.every((text) => text !== '')).toBe(true)
  expect(heard[3]).toMatch(/^HTTP\/1\.1 503 /)
})

test('a listener lets health checks and what goes first wait for no other request', async () => {
  const { ask, heard } = await busyListener(6)
  for (const index of [0, 1, 2]) ask(index, '/')
  ask(3, '/healthz')
  ask(4, '/readyz')
  ask(5, '/first')
  await expect.poll(() => heard.every((text) => text !== '')).toBe(true)
  expect(heard.slice(3).every((text) => text.startsWith('HTTP/1.1 200 '))).toBe(true)
  expect(heard.slice(0, 3).some((text) => text.startsWith('HTTP/1.1 503 '))).toBe(true)
})
