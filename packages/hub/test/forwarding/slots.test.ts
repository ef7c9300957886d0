/** A forge that hangs, and clients that read slowly, keep nobody from a storage token. */

import { setTimeout as pause } from 'node:timers/promises'
import { dial, head, rawUpstream } from '@latchkey/testing/http/raw-line'
import { recordingUpstream } from '@latchkey/testing/http/recording-upstream'
import { ask } from '@latchkey/testing/hub/ask'
import { expect, test } from 'vitest'
import { forgeLimits } from '../../src/forwarding/forge-slots.ts'
import { openBefore, settled } from './open-stage.ts'

const token = 'read models/acme/open@main'
const as = 'reader/write'
const behind = { trustedProxies: ['127.0.0.1'] }

function from(address: string) {
  return { headers: { 'x-forwarded-for': address } }
}

test('a forge that hangs holds a part of the connections, and token requests are answered', async () => {
  const limits = { connections: 64 }
  const forge = await rawUpstream()
  const world = await openBefore(() => forge.url, { limits })
  const { max, maxOfAccount = 0, maxWaitingOfAccount = 0 } = forgeLimits(limits.connections)
  expect([max, maxOfAccount]).toEqual([16, 4])
  const asked = Array.from({ length: 20 }, async () => {
    const line = await dial(world.hub.url)
    line.say(head('GET /acme/x', [], { host: 'hub.example', authorization: null }))
    return line
  })
  const lines = await Promise.all(asked)
  // One network has its share at the forge, and as many requests may wait; the others learn it at once.
  const refused = () => lines.filter((line) => line.heard().startsWith('HTTP/1.1 429 '))
  await expect.poll(() => refused().length).toBe(20 - maxOfAccount - maxWaitingOfAccount)
  expect(refused()[0]?.heard()).toMatch(/\r\nRetry-After: 5\r\n/)
  await expect.poll(() => forge.lines.length).toBe(maxOfAccount)
  for (const _ of asked) expect((await ask(world, token, { as })).status).toBe(200)
  expect((await ask(world, '/readyz')).status).toBe(200)
})

test('a network with many requests at the forge does not keep another one out', async () => {
  const hanging: (() => void)[] = []
  const forge = await recordingUpstream(({ url }, response) => {
    if (url === '/acme/x') hanging.push(() => response.end())
    else response.end('at once')
  })
  const world = await openBefore(() => forge.url, { ...behind, limits: { connections: 256 } })
  const { max, maxOfAccount = 0, reserved = 0 } = forgeLimits(256)
  const stuck = Array.from({ length: max - reserved }, (_, index) =>
    ask(world, '/acme/x', from(`192.0.2.${Math.floor(index / maxOfAccount)}`)),
  )
  await expect.poll(() => hanging.length).toBe(max - reserved)
  const late = ask(world, '/acme/late', from('192.0.2.0'))
  expect((await ask(world, '/acme/y', from('198.51.100.1'))).text).toBe('at once')
  expect(forge.requests.map(({ url }) => url)).not.toContain('/acme/late')
  for (const end of hanging) end()
  expect((await late).text).toBe('at once')
  await Promise.all(stuck)
})

test('a client that leaves while it waits, or while the forge works, frees its place', async () => {
  const forge = await rawUpstream()
  const world = await openBefore(() => forge.url, { limits: { connections: 4 } })
  const say = async () => {
    const line = await dial(world.hub.url)
    line.say(head('GET /acme/x', [], { host: 'hub.example', authorization: null }))
    return line
  }
  const first = await say()
  await forge.line(0)
  const second = await say()
  await pause(50)
  second.socket.destroy()
  first.socket.destroy()
  await (await forge.line(0)).toTheEnd()
  const third = await say()
  const line = await forge.line(1)
  line.say('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  await third.hears('\r\n\r\nok')
})

test('slow readers hold no more of an answer than a bounded part, and token requests are answered', async () => {
  const piece = Buffer.alloc(64 * 1024)
  let written = 0
  const forge = await recordingUpstream(async (_, response) => {
    response.on('error', () => {}).setMaxListeners(0)
    for (let count = 0; count < 1000 && !response.destroyed; count += 1) {
      written += piece.length
      if (response.write(piece)) continue
      await new Promise((go) => response.once('drain', go).once('close', go))
    }
  })
  const world = await openBefore(() => forge.url)
  for (let count = 0; count < 4; count += 1) {
    const line = await dial(world.hub.url)
    line.socket.pause()
    line.say(head('GET /acme/x', [], { host: 'hub.example', authorization: null }))
  }
  await expect.poll(() => forge.requests.length).toBe(4)
  expect(await settled(() => written)).toBeLessThan(4 * 16 * 1024 * 1024)
  for (let count = 0; count < 10; count += 1) {
    expect((await ask(world, token, { as })).status).toBe(200)
  }
})
