/** Requests that ask for much with little: bounded, in turn, and given up when nobody waits for them. */

import { connect } from 'node:net'
import { makeFile, makeShard, makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bodyOf, type Caller } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'

let stage: Stage
let writer: Caller
let repository: string
beforeAll(async () => {
  stage = await openStage()
  repository = await stage.newRepository()
  writer = await stage.caller(`write ${repository}@main`)
})
afterAll(() => stage.close())

/** In so many pieces that no two are neighbours. */
async function scattered(pieces: number) {
  const xorb = makeXorb(randomChunks(`scattered ${pieces}`, 64, 8))
  const runs = Array.from({ length: pieces }, (_, index) => ({
    xorb,
    start: (index * 2) % 64,
    end: ((index * 2) % 64) + 1,
  }))
  const file = makeFile(runs)
  expect((await writer.upload(xorb)).status).toBe(200)
  expect((await writer.register([file])).status).toBe(200)
  return file
}

// conformance: Attacks / 27. An attacker sends too much data, or the disk is full
test('a file in more pieces than fit into an answer is told of range by range', async () => {
  const file = await scattered(16_385)
  const whole = await writer.ask(`GET /v2/reconstructions/${file.hash}`)
  expect([whole.status, whole.code]).toEqual([400, 'bad_request'])
  const both = await writer.ask(`GET /v1/reconstructions?file_id=${file.hash}`)
  expect(both.status).toBe(400)
  const headers = { range: `bytes=${8 * 100}-${8 * 200 - 1}` }
  const part = await writer.ask(`GET /v2/reconstructions/${file.hash}`, { headers })
  expect(part.status).toBe(200)
  expect(part.json['terms']).toHaveLength(100)
})

// conformance: Attacks / 27. An attacker sends too much data, or the disk is full
test('large answers that nobody reads hold up no small ones, and no other account, by two hub tokens of one account', async () => {
  const large = await scattered(1000)
  await stage.world.done('member set', { namespace: 'acme', account: 'rival', role: 'read' })
  const rival = await stage.caller(`read ${repository}@main`, 'rival/write')
  const second = await stage.caller(`read ${repository}@main`, 'writer/read')
  const small = contentOf('small beside large')
  await put(writer, small)
  const { hostname, port, pathname } = new URL(writer.url)
  const sockets = Array.from({ length: 6 }, () => connect(Number(port), hostname))
  const requestWith = (token: string) => [
    `GET ${pathname}/v2/reconstructions/${large.hash} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${token}`,
  ]
  for (const [at, socket] of sockets.entries()) {
    const request = requestWith(at % 2 === 0 ? writer.token : second.token)
    socket.on('error', () => {})
    socket.pause()
    socket.write(`${request.join('\r\n')}\r\n\r\n`.repeat(20))
  }
  expect(await writer.download(small.file.hash)).toEqual(small.bytes)
  expect((await rival.ask(`GET /v2/reconstructions/${large.hash}`)).status).toBe(200)
  for (const socket of sockets) socket.destroy()
  // And the turns of those that have gone are free again.
  expect((await writer.ask(`GET /v2/reconstructions/${large.hash}`)).status).toBe(200)
})

// conformance: Attacks / 27. An attacker sends too much data, or the disk is full
test('shards that nobody waits for any more are given up, and hold up nobody else', async () => {
  const xorb = makeXorb(randomChunks('again and again', 8192, 4))
  expect((await writer.upload(xorb)).status).toBe(200)
  const [term] = makeFile([{ xorb }]).terms
  if (term === undefined) throw new Error('no term')
  const terms = Array.from({ length: 1025 }, () => term)
  const hash = 'ab'.repeat(32) as typeof term.xorb
  const abandoned = new AbortController()
  const shard = bodyOf(makeShard({ files: [{ hash, terms }] }))
  const headers = { authorization: `Bearer ${writer.token}` }
  const url = `${writer.url}/v1/shards`
  const many = Array.from({ length: 8 }, () =>
    fetch(url, { method: 'POST', body: shard, headers, signal: abandoned.signal }).catch(() => {}),
  )
  await expect.poll(() => stage.drafts().length, { timeout: 60_000 }).toBe(8)
  abandoned.abort()
  await Promise.all(many)
  // Nobody waits for them, so nobody works for them.
  await expect.poll(() => stage.drafts(), { timeout: 60_000 }).toEqual([])
  const other = contentOf('of another, beside them')
  const neighbour = await stage.caller(`write ${await stage.newRepository()}@main`)
  await put(neighbour, other)
})
