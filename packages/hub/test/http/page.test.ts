/** The hub's address in a browser. */

import { ask } from '@latchkey/testing/http/ask'
import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'

const html = ['Accept', 'text/html']

let world: World
let apart: World
beforeAll(async () => {
  world = await startWorld(acme)
  apart = await startWorld(acme, { operations: { port: 0 } })
})
afterAll(async () => {
  await world.close()
  await apart.close()
})

function open({ hub }: World, host = 'hub.example', headers = html) {
  return ask(hub.url, { path: '/', host, headers })
}

// conformance: Operation / The page at / shows little and runs no script
test('under a host name that is not the hub’s there is no page', async () => {
  const { status, headers } = await open(world, 'evil.example')
  expect([status, headers['content-type']]).toEqual([421, 'application/problem+json'])
})

test('a program that opens it is told in JSON that nothing is there', async () => {
  const { status, headers } = await open(world, 'hub.example', ['Accept', '*/*'])
  expect([status, headers['content-type']]).toEqual([404, 'application/problem+json'])
})

test('the page says what the hub is, that it is ready, and where more is found', async () => {
  const { status, body } = await open(world)
  expect(status).toBe(200)
  expect(body).toContain('<h1>Latchkey hub</h1>')
  expect(body).toContain('latchkey login --hub https://hub.example')
  const links = Array.from(body.matchAll(/<a href="([^"]+)"/g), ([, href]) => `/${href}`)
  expect(links).toEqual(['/openapi.json', '/.well-known/jwks.json', '/readyz'])
  for (const path of links) {
    expect((await ask(world.hub.url, { path, host: 'hub.example' })).status, path).toBe(200)
  }
})

test('a hub that is watched on another port names no route of that port', async () => {
  const { status, body } = await open(apart)
  expect(status).toBe(200)
  expect(body).not.toContain('readyz')
})

test('no name of the directory stands on the page', async () => {
  const { body } = await open(world)
  for (const name of ['writer', 'reader', 'cas.example']) expect(body).not.toContain(name)
})
