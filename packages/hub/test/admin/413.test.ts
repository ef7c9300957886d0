import { Readable } from 'node:stream'
import { largestBodyBytes } from '@latchkey/service/read-json-body'
import { expect, test } from 'vitest'
import { expectProblem, openAdmin } from './open-admin.ts'

test('a body larger than 4 MiB is refused', async () => {
  const { call } = await openAdmin()
  const body = { file: ' '.repeat(largestBodyBytes) }
  expectProblem(await call('POST', '/apply', { body }), 'body_too_large')
})

test('a body that does not say how long it is is read no further than 4 MiB', async () => {
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

test('a body of almost 4 MiB is read', async () => {
  const { call } = await openAdmin()
  const body = { file: `${' '.repeat(largestBodyBytes - 100)}{}` }
  const response = await call('POST', '/apply', { body })
  expect(response.json()).toEqual({ changes: [], hubTokens: [] })
})
