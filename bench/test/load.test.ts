import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { coprimeStep, pathsOf } from '../issue/directory.ts'
import { getRequest, load, openLoad } from '../measure/load.ts'
import { openLoop } from '../measure/open-loop.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function serverOf(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  closing.push(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const request = () => getRequest('/', ['Host: 127.0.0.1'])

describe('load', () => {
  it('counts answers other than 2xx as failed', async () => {
    let count = 0
    const port = await serverOf((_, response) => {
      count += 1
      response.writeHead(count % 2 === 0 ? 500 : 200).end('body')
    })
    const { requests, failed } = await load({ port, request }, 1, 50)
    expect(failed).toBe(Math.floor(requests / 2))
    expect(requests).toBe(count)
  })

  it('fails where the server closes the connection', async () => {
    const port = await serverOf(({ socket }) => socket.destroy())
    await expect(load({ port, request }, 1, 50)).rejects.toThrow()
  })
})

describe('load on connections that stay open', () => {
  it('counts each round for itself, and opens no other connection', async () => {
    let count = 0
    const sockets = new Set<unknown>()
    const port = await serverOf(({ socket }, response) => {
      count += 1
      sockets.add(socket)
      response.end('body')
    })
    const open = await openLoad({ port, request }, 2)
    closing.push(open.close)
    const before = count
    const first = await open.run(20)
    const second = await open.run(20)
    expect(first.requests + second.requests).toBe(count - before)
    expect(second.requests).toBeGreaterThan(0)
    expect(sockets.size).toBe(2)
  })

  it('fails where the server has closed a connection between two rounds', async () => {
    const port = await serverOf((_, response) => response.end('body'))
    const open = await openLoad({ port, request }, 1)
    for (const close of closing.splice(0)) close()
    await expect(open.run(20)).rejects.toThrow()
  })
})

describe('load at a fixed rate', () => {
  it('counts the wait of requests that were due during a stall', async () => {
    const stallMs = 300
    let count = 0
    const port = await serverOf((_, response) => {
      count += 1
      if (count === 1) setTimeout(() => response.end('late'), stallMs)
      else response.end('at once')
    })
    const rate = { perSecond: 100, milliseconds: 200, connections: 1 }
    const latencies = await openLoop({ port, request }, rate)
    expect(latencies).toHaveLength(20)
    // All were due in the first 200 ms, and none could be answered before the stall was over.
    expect(Math.min(...latencies)).toBeGreaterThanOrEqual(stallMs - 200)
  })

  it('fails where an answer is no 2xx', async () => {
    const port = await serverOf((_, response) => response.writeHead(404).end())
    const rate = { perSecond: 100, milliseconds: 50, connections: 1 }
    await expect(openLoop({ port, request }, rate)).rejects.toThrow('404')
  })
})

describe('the repositories that are asked for', () => {
  it.each([1, 2, 1000, 20_000])('are all of %i once before any again', (count) => {
    const next = pathsOf(count, count)
    const asked = Array.from({ length: count }, next)
    expect(new Set(asked).size).toBe(count)
    expect(next()).toBe(asked[0])
  })

  it('are spread over the directory where they are few', () => {
    const next = pathsOf(1000, 10)
    const asked = Array.from({ length: 10 }, next).toSorted()
    expect(asked).toContain('/api/models/acme/model-900/storage-read-token/main')
  })

  it('never follow one another in its order', () => {
    expect(coprimeStep(20_000)).toBeGreaterThan(10_000)
  })
})
