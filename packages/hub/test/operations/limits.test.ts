/** The limits themselves are limited: however many ask, memory and connections stay bounded. */

import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { describe, expect, onTestFinished, test } from 'vitest'
import { requestLimits } from '../../src/issue/request-limits.ts'

describe('the memory of who asked how often', () => {
  test('holds a hundred thousand addresses and forgets the oldest', () => {
    const limits = requestLimits({ requestsPerMinute: 1, failuresPerMinute: 1 }, () => 0)
    const isLimited = (address: string) => limits.forFailure(address) !== undefined
    expect([isLimited('first'), isLimited('first')]).toEqual([false, true])
    for (let n = 0; n < 99_999; n += 1) limits.forFailure(`address ${n}`)
    expect(isLimited('first')).toBe(true)
    for (let n = 0; n < 100_000; n += 1) limits.forFailure(`another ${n}`)
    expect(isLimited('first')).toBe(false)
  })
})

describe('connections', () => {
  test('beyond the limit are closed, and those within it are served', async () => {
    const world = await startWorld(acme, { limits: { connections: 4 } })
    onTestFinished(() => world.close())
    const open = await Promise.all(Array.from({ length: 12 }, () => openConnection(world)))
    const stillOpen = () => open.filter((socket) => !socket.destroyed)
    await expect.poll(() => stillOpen().length).toBe(4)
    const kept = stillOpen()
    expect(await speak(kept[0])).toMatch(/^HTTP\/1\.1 401 /)
    for (const socket of kept) socket.destroy()
    await expect.poll(async () => (await ask(world, '/healthz')).status).toBe(200)
  })

  test('that never finish their headers are answered with 408 and cut', {
    tags: 'soak',
  }, async () => {
    const world = await startWorld(acme)
    onTestFinished(() => world.close())
    const socket = await openConnection(world)
    const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 1000)
    onTestFinished(() => clearInterval(drip))
    const started = performance.now()
    const heard = await speak(socket, 'GET /healthz HTTP/1.1\r\nHost: x\r\n')
    expect(heard).toMatch(/^HTTP\/1\.1 408 /)
    expect(performance.now() - started).toBeLessThan(25_000)
  })

  test('that wait do not hold up a stop', async () => {
    const world = await startWorld(acme, { stopDeadlineSeconds: 1 })
    const silent = await openConnection(world)
    const half = await openConnection(world)
    half.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')
    await delay(50)
    await world.close()
    expect([await closed(silent), await closed(half)]).toEqual([true, true])
  })
})

function openConnection(world: World): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(world.hub.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.on('end', () => socket.destroy())
    onTestFinished(() => void socket.destroy())
    socket.once('connect', () => resolve(socket))
  })
}

const tokenRequest =
  'GET /api/models/acme/open/storage-read-token/main HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

function speak(socket: Socket | undefined, text = tokenRequest): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    socket?.on('data', (chunk) => {
      heard += chunk.toString()
    })
    socket?.on('close', () => resolve(heard))
    socket?.write(text)
  })
}

function closed(socket: Socket): Promise<boolean> {
  if (socket.destroyed) return Promise.resolve(true)
  return new Promise((resolve) => {
    socket.on('close', () => resolve(true))
  })
}
