/** Bodies of any length pass in both directions, at the pace of the slower side and within their time. */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { serving } from '@latchkey/testing/gate/gateway'
import { dial, head, rawUpstream } from '@latchkey/testing/http/raw-line'
import { ask } from '@latchkey/testing/hub/ask'
import { expect, test } from 'vitest'
import { openBefore, settled } from './open-stage.ts'

const MiB = 1024 * 1024
const to = { host: 'hub.example', authorization: null }
const megabytes = process.env['LATCHKEY_SOAK'] === undefined ? 48 : 300

test(`a commit of ${megabytes} MB arrives whole, and no part of it waits in the hub`, async () => {
  const hash = createHash('sha256')
  let [received, sent, most] = [0, 0, 0]
  const forge = await serving(async (incoming, response) => {
    for await (const part of incoming) {
      hash.update(part)
      received += part.length
      most = Math.max(most, sent - received)
    }
    response.end(hash.digest('hex'))
  })
  const world = await openBefore(() => forge.url)
  const expected = createHash('sha256')
  const commit = request(`${world.hub.url}/api/models/acme/bert/commit/main`, {
    method: 'POST',
    headers: { 'transfer-encoding': 'chunked' },
    agent: false,
  })
  for (let count = 0; count < megabytes; count += 1) {
    const part = Buffer.alloc(MiB, count)
    expected.update(part)
    sent += part.length
    if (!commit.write(part)) await once(commit, 'drain')
  }
  commit.end()
  const [response] = await once(commit, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  expect(String(Buffer.concat(chunks))).toBe(expected.digest('hex'))
  expect(received).toBe(megabytes * MiB)
})

test('a forge that does not read stops the client', async () => {
  const forge = await rawUpstream((line) => void line.socket.pause())
  const world = await openBefore(() => forge.url)
  const line = await dial(world.hub.url)
  line.say(head('POST /acme/x', [`Content-Length: ${64 * MiB}`], to))
  const part = Buffer.alloc(MiB)
  let sent = 0
  const pump = async () => {
    for (; sent < 64; sent += 1) {
      if (!line.socket.write(part)) await once(line.socket, 'drain')
    }
  }
  void pump().catch(() => {})
  expect(await settled(() => sent)).toBeLessThan(40)
})

test('a clone goes on as long as it moves, and is cut when it stands still', async () => {
  const forge = await rawUpstream()
  const world = await openBefore(() => forge.url)
  const line = await dial(world.hub.url)
  line.say(head('POST /acme/bert.git/git-upload-pack', ['Content-Length: 4'], to), '0000')
  const pack = await forge.line(0)
  await pack.hears('0000')
  // Before the first byte of an answer nothing moves, for longer than a body may stand still.
  world.passSeconds(200)
  await untilSwept()
  pack.say('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
  for (let count = 0; count < 3; count += 1) {
    pack.say(`1\r\n${count}\r\n`)
    await line.hears(`\r\n${count}\r\n`)
    await untilSwept()
    world.passSeconds(100)
  }
  await untilSwept()
  expect(line.isOver()).toBe(false)
  world.passSeconds(100)
  await line.toTheEnd()
  expect(line.heard()).not.toMatch(/\r\n0\r\n\r\n$/)
  await pack.toTheEnd()
})

test('a commit that stands still is a 408, and the forge sees it broken', async () => {
  const forge = await rawUpstream()
  const world = await openBefore(() => forge.url)
  const line = await dial(world.hub.url)
  line.say(head('POST /api/models/acme/bert/commit/main', ['Content-Length: 10'], to), 'half')
  await (await forge.line(0)).hears('half')
  await untilSwept()
  world.passSeconds(121)
  await line.hears('HTTP/1.1 408 ')
  await (await forge.line(0)).toTheEnd()
})

test('a client that leaves in the middle of a commit ends the request at the forge', async () => {
  const forge = await rawUpstream()
  const world = await openBefore(() => forge.url)
  const line = await dial(world.hub.url)
  line.say(head('POST /api/models/acme/bert/commit/main', ['Content-Length: 10'], to), 'half')
  const broken = await forge.line(0)
  await broken.hears('half')
  line.socket.destroy()
  await broken.toTheEnd()
  expect((await ask(world, '/readyz')).status).toBe(200)
})

/** The deadlines are looked at once a second. */
function untilSwept(): Promise<void> {
  return new Promise((done) => setTimeout(done, 1200))
}
