import { Readable } from 'node:stream'
import { hasBody, verbs } from '@latchkey/admin-api'
import { refuse } from '@latchkey/protocol'
import { shortBodyBytes } from '@latchkey/service/limits/shares'
import { expect, test } from 'vitest'
import { bodyLimitOf } from '../../src/admin/body-limits.ts'
import { exampleOf } from './example-path.ts'
import { expectProblem, openAdmin } from './open-admin.ts'

const largestBodyBytes = 512 * 1024

// conformance: Attacks / 32. An attacker floods memory, connections or processor time
test('a file larger than 512 KiB is refused with what to do instead', async () => {
  const { call } = await openAdmin()
  const body = { file: ' '.repeat(largestBodyBytes) }
  expectProblem(await call('POST', '/apply', { body }), 'body_too_large', {
    detail:
      'The body is larger than 524288 bytes. Apply a smaller file, or run `latchkey apply` on the machine of the hub.',
  })
})

test('every verb refuses a body that is longer than its longest input', async () => {
  const { call } = await openAdmin()
  for (const verb of verbs.filter((one) => hasBody(one))) {
    const { most } = bodyLimitOf(verb)
    const answer = await call(verb.method, exampleOf(verb), { body: { x: ' '.repeat(most) } })
    expectProblem(answer, 'body_too_large', {
      detail: expect.stringContaining(`larger than ${most} bytes`),
    })
  }
})

test('a body that does not say how long it is is read no further than 512 KiB', async () => {
  const { call } = await openAdmin()
  let sent = 0
  const payload = Readable.from(
    (function* () {
      for (; sent < 100; sent += 1) yield Buffer.alloc(1024 * 1024, ' ')
    })(),
  )
  const headers = {
    authorization: 'Bearer all',
    'content-type': 'application/json',
    'transfer-encoding': 'chunked',
  }
  const response = await call('POST', '/apply', { headers, payload })
  expectProblem(response, 'body_too_large')
  expect(response.headers).toMatchObject({ connection: 'close' })
  expect(sent).toBeLessThan(100)
})

test('a stranger is refused before any of the body is read', async () => {
  const { call } = await openAdmin()
  let sent = 0
  const payload = new Readable({
    read() {
      sent += 1
      this.push(Buffer.alloc(64 * 1024, ' '))
    },
  })
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
  const response = await call('POST', '/apply', { headers, payload })
  expectProblem(response, 'hub_token_missing')
  expect(sent).toBeLessThan(100)
})

test('a body of almost 512 KiB is read', async () => {
  const { call } = await openAdmin()
  const body = { file: `${' '.repeat(largestBodyBytes - 100)}{}` }
  const response = await call('POST', '/apply', { body })
  expect(response.json()).toEqual({ changes: [], hubTokens: [] })
})

test('a file with thousands of refs in one repository is applied', async () => {
  const { call } = await openAdmin()
  const tags = Object.fromEntries(
    Array.from({ length: 9000 }, (_, at) => [`v${at}`, `${at + 1}`.padStart(40, '0')]),
  )
  const file = {
    namespaces: [{ name: 'large' }],
    repositories: [{ type: 'model', id: 'large/one', tags }],
  }
  const response = await call('POST', '/apply', { body: { file, dryRun: true } })
  expect([response.statusCode, response.json().changes.length]).toEqual([200, 2])
})

test('a body without room in memory is refused unread, and a short one needs none', async () => {
  const full = refuse('rate_limited', 'full')
  const [held, none] = [() => 0, () => undefined]
  const bodyRoom = { take: async () => full, takeNow: none, held, heldBy: held, waiting: held }
  const { call } = await openAdmin({ bodyRoom })
  const body = { file: `${' '.repeat(shortBodyBytes)}{}` }
  expectProblem(await call('POST', '/apply', { body }), 'rate_limited')
  expect((await call('POST', '/apply', { body: { file: '{}' } })).statusCode).toBe(200)
})
