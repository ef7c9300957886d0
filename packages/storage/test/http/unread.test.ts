/** Fifty clients that send without a token and never read hold nothing on hub, storage and gateway. */

import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openGateway } from '@latchkey/testing/gate/gateway'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openStage } from '../stage.ts'
import { bundledThreads } from '../threads/bundled-threads.ts'

const uploadOf = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n`
const readOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

interface Target {
  readonly url: string
  /** What the clients ask for, without a token. */
  readonly path: string
  pass(seconds: number): void
  /** A request of somebody else. */
  ask(): Promise<Response>
}

async function hub(): Promise<Target> {
  const { world } = await stage()
  const { url } = world.hub
  const path = '/api/models/acme/r1/storage-read-token/main'
  return { url, path, pass: world.passSeconds, ask: () => fetch(`${url}/openapi.json`) }
}

async function storage(): Promise<Target> {
  const stopwatch = movedStopwatch()
  const { url, newRepository, caller } = await stage(stopwatch.now)
  const reader = await caller(`read ${await newRepository()}@main`)
  const path = `${new URL(reader.url).pathname}/v1/shards`
  const telemetry = { method: 'POST', headers: { authorization: `Bearer ${reader.token}` } }
  const ask = () => fetch(`${reader.url}/v1/telemetry`, telemetry)
  return { url, path, pass: stopwatch.pass, ask }
}

async function gateway(): Promise<Target> {
  const stopwatch = movedStopwatch()
  const upstream: RequestListener = (_request, response) => response.end('served')
  const { gateway } = await openGateway(upstream, {}, { stopwatch: stopwatch.now })
  const { url } = gateway
  const headers = { authorization: bearer() }
  const ask = () => fetch(`${url}${prefix}/v1/chunks/default/abc`, { headers })
  return { url, path: `${prefix}/v1/shards`, pass: stopwatch.pass, ask }
}

async function stage(stopwatch?: () => number) {
  const opened = await openStage({
    openPool: bundledThreads,
    ...(stopwatch && { stopwatch }),
  })
  onTestFinished(() => opened.close())
  return opened
}

/** A client that writes and does not look at what comes back. */
async function deafClient(url: string, first: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause().write(first)
  return socket
}

// conformance: Guarantees / A client that never reads holds no resources
// conformance: Attacks / 36. An attacker sends requests and never reads responses
test.each([
  ['hub', hub],
  ['storage', storage],
  ['gateway', gateway],
])('50 clients that send and never read are gone from the %s within a minute', async (_, open) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { url, path, pass, ask } = await open()
  const clients = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      deafClient(url, index % 2 === 0 ? uploadOf(path) : readOf(path)),
    ),
  )
  const goOn = (client: Socket, index: number) =>
    client.write(index % 2 === 0 ? 'more of the body' : readOf(path))
  for (let passed = 0; passed < 60; passed += 10) {
    clients.forEach(goOn)
    await pause(30)
    pass(10)
    vi.advanceTimersByTime(1000)
    expect((await ask()).status, `after ${passed} s`).toBe(200)
  }
  // A client that does not read learns of the end by writing.
  const gone = () => {
    clients.forEach(goOn)
    return clients.filter(({ closed }) => closed).length
  }
  await expect.poll(gone).toBe(50)
})
