import { expect, it } from 'vitest'
import { refusalOf } from '../src/transfer/read-answer.ts'

const request = { method: 'PUT', path: '/v1/x?key=secret' }

it('a refusal names what was asked for, without its query', async () => {
  const response = new Response('gone', { status: 404, statusText: 'Not Found' })
  const { message, exitCode } = await refusalOf(response, request)
  expect(message).toBe('the storage responded with 404 Not Found to PUT /v1/x')
  expect(exitCode).toBe(1)
})

it('its reason and its request id are bounded', async () => {
  const problem = { detail: 'd'.repeat(1000), requestId: 'r'.repeat(1000) }
  const { message } = await refusalOf(Response.json(problem, { status: 403 }), request)
  const shown = `${'d'.repeat(500)} (request ${'r'.repeat(100)})`
  expect(message).toBe(`the storage responded with 403 to PUT /v1/x: ${shown}`)
})

it('a reason that does not end is not waited for, and its connection is let go', async () => {
  const patience = new AbortController()
  let isLetGo = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('{"detail":"it')),
    cancel() {
      isLetGo = true
    },
  })
  const refusal = refusalOf(new Response(body, { status: 500 }), request, patience.signal)
  patience.abort()
  expect((await refusal).message).toBe('the storage responded with 500 to PUT /v1/x')
  expect(isLetGo).toBe(true)
})
