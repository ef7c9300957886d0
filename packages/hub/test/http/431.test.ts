import { acme } from '@latchkey/testing/hub/acme'
import { ask, bearer, pathOf, sendRaw } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAnswer, requestText } from './raw-answers.ts'

const line = `GET ${pathOf('read models/acme/bert@main')} HTTP/1.1`

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

async function expectTooLarge(...headers: readonly string[]): Promise<void> {
  const answer = readAnswer(await sendRaw(world, requestText(line, ...headers)))
  expect([answer.status, answer.json['code']]).toEqual([431, 'headers_too_large'])
  expect(answer.headers.get('connection')).toBe('close')
  expect((await ask(world, '/healthz')).status).toBe(200)
}

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('headers beyond 96 KiB are refused, and the hub goes on', async () => {
  await expectTooLarge(`Authorization: Bearer ${'a'.repeat(100 * 1024)}`)
})

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('more than 200 headers are refused instead of being dropped silently', async () => {
  const padding = Array.from({ length: 220 }, (_, index) => `X-Padding-${index}: x`)
  await expectTooLarge(...padding, `Authorization: ${bearer(world, 'writer/write')}`)
})

// conformance: Limits / The hub reads a credential of 64000 characters
test('64000 characters of Authorization leave room for the other headers of a client', async () => {
  const padding = Array.from(
    { length: 100 },
    (_, index) => `X-Padding-${index}: ${'x'.repeat(200)}`,
  )
  const authorization = `Authorization: Bearer ${'a'.repeat(64_000)}`
  const answer = readAnswer(await sendRaw(world, requestText(line, authorization, ...padding)))
  expect([answer.status, answer.json['code']]).toEqual([401, 'hub_token_invalid'])
})
