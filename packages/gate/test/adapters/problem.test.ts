/** Storages respond with the problem documents of the gate. */

import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { sendProblem } from '../../src/adapters/node.ts'
import { problem } from '../../src/index.ts'
import { serving } from './adapters.ts'

const missing = {
  code: 'entry_not_found',
  detail: 'There is no file a.bin. Ask for another name.',
} as const

test('a problem has the status, the code and the headers of an error of the gate', async () => {
  const response = problem({ ...missing, requestId: 'own-id' })
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({
    type: 'urn:latchkey:refusal:entry_not_found',
    title: 'The revision has no such file or folder',
    status: 404,
    detail: missing.detail,
    code: 'entry_not_found',
    requestId: 'own-id',
    error: missing.detail,
  })
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-request-id': 'own-id',
    'x-error-code': 'EntryNotFound',
  })
})

test('a problem without an id gets a new one, and says when to try again', async () => {
  const options = { code: 'not_ready', detail: 'The disk is busy.', retryAfterSeconds: 7 } as const
  const [one, other] = [problem(options), problem(options)]
  expect(one.headers.get('retry-after')).toBe('7')
  expect(one.headers.get('x-request-id')).toMatch(/^[a-z2-7]{26}$/)
  expect(one.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'))
})

test('a token in the sentence is not repeated', async () => {
  const token = `lk_${'a1B2c3D'.repeat(7)}`
  const body = await problem({ ...missing, detail: `no file ${token}` }).text()
  expect(body).toContain('no file')
  expect(body).not.toContain(token)
})

test.each([['no_such_code'], ['toString'], [''], ['__proto__']])(
  'the code %j, which is none, is a mistake of the program',
  (code) => {
    expect(() => problem({ ...missing, code: code as never })).toThrow(/is no error code/)
  },
)

test('a Hono route and a handler of node:http respond with the same document', async () => {
  const app = new Hono()
  app.get('*', () => problem({ ...missing, requestId: 'same' }))
  const hono = await app.request('https://cas.example/x')
  const send = await serving((_, response) =>
    sendProblem(response, { ...missing, requestId: 'same' }),
  )
  const node = await send({ method: 'GET', target: '/x', headers: [] })
  expect([node.status, node.body]).toEqual([hono.status, await hono.text()])
  for (const [name, value] of hono.headers) expect(node.header(name)).toBe(value)
})
