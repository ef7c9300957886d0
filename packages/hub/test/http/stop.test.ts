import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, bearer, pathOf } from '@latchkey/testing/hub/ask'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AccessStore } from '../../src/access/access-store.ts'
import type { Access } from '../../src/access/find-access.ts'
import { readAnswer, requestText } from './raw-answers.ts'

/** A directory that takes its time: while `held` is set, questions wait for it. */
const slow = vi.hoisted((): { held?: Promise<void>; asked?: () => void } => ({}))

vi.mock('../../src/access/find-access.ts', async (original) => {
  const real = await original<typeof import('../../src/access/find-access.ts')>()
  return {
    ...real,
    accessOf(store: AccessStore): Access {
      const access = real.accessOf(store)
      return {
        ...access,
        async findAccess(question) {
          slow.asked?.()
          await slow.held
          return access.findAccess(question)
        },
      }
    },
  }
})

const path = pathOf('read models/acme/bert@main')
const what = 'read models/acme/bert@main'

let world: World
const sockets: Socket[] = []
beforeEach(() => {
  delete slow.held
  delete slow.asked
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await world.close()
})

async function start(change: SettingsChange = {}): Promise<void> {
  world = await startWorld(acme, change)
}

interface Connection {
  readonly socket: Socket
  readonly closed: Promise<unknown>
  received(): string
}

async function open(): Promise<Connection> {
  const socket = connect(Number(new URL(world.hub.url).port), '127.0.0.1')
  sockets.push(socket)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.on('close', resolve))
  await once(socket, 'connect')
  return { socket, closed, received: () => received }
}

/** A request that has reached the directory and waits there until `release` is called. */
async function inFlight() {
  let release: () => void = () => {}
  slow.held = new Promise((resolve) => {
    release = resolve
  })
  const reached = new Promise<void>((resolve) => {
    slow.asked = resolve
  })
  const connection = await open()
  connection.socket.write(get())
  await reached
  return { connection, release }
}

function get(...headers: readonly string[]): string {
  const authorization = `Authorization: ${bearer(world, 'writer/write')}`
  return requestText(`GET ${path} HTTP/1.1`, authorization, ...headers)
}

async function secondsOf(work: Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work
  return (performance.now() - started) / 1000
}

// conformance: Operation / A stop finishes running requests, rejects new ones and keeps its deadline
test('a request in flight is answered after the stop has begun, and the stop waits for it', async () => {
  await start({ stopDeadlineSeconds: 60 })
  const { connection, release } = await inFlight()
  let settled = false
  const stopped = world.hub.stop().then(() => {
    settled = true
  })
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(settled).toBe(false)
  release()
  await connection.closed
  const answer = readAnswer(connection.received())
  expect(answer.status).toBe(200)
  expect(answer.json).toHaveProperty('accessToken')
  await stopped
})

// conformance: Operation / A stop finishes running requests, rejects new ones and keeps its deadline
test('the stop settles as soon as the last request in flight is answered', async () => {
  await start({ stopDeadlineSeconds: 60 })
  const { release } = await inFlight()
  const stopped = world.hub.stop()
  release()
  expect(await secondsOf(stopped)).toBeLessThan(50)
})

// conformance: Operation / A stop finishes running requests, rejects new ones and keeps its deadline
test('a new connection is refused once the stop has begun', async () => {
  await start({ stopDeadlineSeconds: 60 })
  const { release } = await inFlight()
  const stopped = world.hub.stop()
  await expect(fetch(world.hub.url)).rejects.toThrow()
  release()
  await stopped
})

// conformance: Operation / A stop finishes running requests, rejects new ones and keeps its deadline
test('a request that is completed after the stop has begun gets 503 and the connection is closed', async () => {
  await start({ stopDeadlineSeconds: 60 })
  const half = await open()
  half.socket.write(get().slice(0, 40))
  const { release } = await inFlight()
  const stopped = world.hub.stop()
  half.socket.write(get().slice(40))
  await half.closed
  const { status, headers, json } = readAnswer(half.received())
  expect([status, json['code']]).toEqual([503, 'stopping'])
  expect(headers.get('connection')).toBe('close')
  expect(headers.get('retry-after')).toBe('1')
  expect(headers.get('x-request-id')).toBe(json['requestId'])
  expect(headers.get('cache-control')).toBe('no-store')
  release()
  await stopped
})

// conformance: Operation / A stop finishes running requests, rejects new ones and keeps its deadline
test('a request pipelined behind one in flight is answered or the connection closed cleanly', async () => {
  await start({ stopDeadlineSeconds: 60 })
  const { connection, release } = await inFlight()
  const stopped = world.hub.stop()
  connection.socket.write(get())
  release()
  await connection.closed
  const statuses = connection.received().match(/^HTTP\/1\.1 \d+/gm)
  expect(statuses?.[0]).toBe('HTTP/1.1 200')
  expect(statuses?.slice(1).every((line) => line === 'HTTP/1.1 503')).toBe(true)
  await stopped
})

// conformance: Operation / A stop finishes running requests, rejects new ones and keeps its deadline
test('an idle connection is closed at once when the stop begins', async () => {
  await start({ stopDeadlineSeconds: 60 })
  const idle = await open()
  idle.socket.write(get())
  await once(idle.socket, 'data')
  expect(await secondsOf(world.hub.stop())).toBeLessThan(50)
  await idle.closed
  expect(readAnswer(idle.received()).status).toBe(200)
})

// conformance: Operation / A stop finishes running requests, rejects new ones and keeps its deadline
test('a half-sent request does not keep the stop beyond its deadline', async () => {
  await start({ stopDeadlineSeconds: 1 })
  const half = await open()
  half.socket.write(get().slice(0, 40))
  await ask(world, what, { as: 'writer/write' })
  await world.hub.stop()
  await half.closed
})

// conformance: Operation / A stop finishes running requests, rejects new ones and keeps its deadline
test('a connection that never sent a byte does not keep the stop beyond its deadline', async () => {
  await start({ stopDeadlineSeconds: 1 })
  const silent = await open()
  await ask(world, what, { as: 'writer/write' })
  await world.hub.stop()
  await silent.closed
})

// conformance: Operation / A stop finishes running requests, rejects new ones and keeps its deadline
test('a request that is never answered does not keep the stop beyond its deadline', async () => {
  await start({ stopDeadlineSeconds: 1 })
  const { connection, release } = await inFlight()
  const seconds = await secondsOf(world.hub.stop())
  expect(seconds).toBeGreaterThan(0.5)
  await connection.closed
  release()
})

// conformance: Operation / Operations can have a separate listener
test('the listener for operations stops with the hub', async () => {
  await start({ operations: { port: 0 } })
  const url = `${world.hub.operationsUrl}/healthz`
  expect((await fetch(url)).status).toBe(200)
  await world.hub.stop()
  await expect(fetch(url)).rejects.toThrow()
})

// conformance: Operation / A stop finishes running requests, rejects new ones and keeps its deadline
test('the stop is logged from its beginning to its end', async () => {
  await start()
  await world.hub.stop()
  const events = world.logLines.map((line) => JSON.parse(line).event)
  expect(events.slice(-2)).toEqual(['hub_stopping', 'hub_stopped'])
})
