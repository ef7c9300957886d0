/** The storage's address in a browser. */

import { ask } from '@latchkey/testing/http/ask'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStage, type Stage } from '../stage.ts'

const html = ['Accept', 'text/html']

let embedded: Stage
let alone: Stage
beforeAll(async () => {
  embedded = await openStage()
  alone = await openStage({ settings: { operations: { host: '127.0.0.1', port: undefined } } })
})
afterAll(async () => {
  await embedded?.close()
  await alone?.close()
})

test('under a host name that is not the storage’s there is no page', async () => {
  const { status } = await ask(embedded.url, { path: '/', host: 'evil.example', headers: html })
  expect(status).toBe(421)
})

test.each(['/r', '/r/', '/v1/shards', '/?', '//'])('only / has a page: %s', async (path) => {
  const { status, headers } = await ask(embedded.url, { path, headers: html })
  expect(status).toBeGreaterThanOrEqual(400)
  expect(headers['content-type']).toBe('application/problem+json')
})

test('a program that opens it hears what it heard before', async () => {
  const { status, headers } = await ask(embedded.url, { path: '/', headers: ['Accept', '*/*'] })
  expect([status, headers['content-type']]).toEqual([401, 'application/problem+json'])
})

test('the page says what the storage is and that it is ready', async () => {
  const { status, body } = await ask(embedded.url, { path: '/', headers: html })
  expect(status).toBe(200)
  expect(body).toContain('<h1>Latchkey storage</h1>')
  expect(body).toContain('<strong>Ready.</strong>')
  expect(body).not.toContain('readyz')
})

test('a storage that is watched on the same port shows its hub as /readyz does', async () => {
  const { body } = await ask(alone.url, { path: '/', headers: html })
  expect(body).toContain('<br>hub: linked')
  expect(body).toContain('<a href="readyz">')
})
