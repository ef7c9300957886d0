/** A refusal as it is sent: status, headers and body. */

import { describe, expect, test } from 'vitest'
import { type RefusalCode, refuse, statusOf } from '../src/refusal.ts'
import { answerRefusal } from '../src/refusal-answer.ts'

const codes = Object.keys(statusOf) as RefusalCode[]
const requestId = 'r'.repeat(26)

function headersOf(refusal: ReturnType<typeof refuse>): Record<string, string> {
  const { headers } = answerRefusal(refusal, { requestId })
  const pairs: [string, string][] = []
  for (let at = 0; at < headers.length; at += 2) {
    pairs.push([headers[at] ?? '', headers[at + 1] ?? ''])
  }
  return Object.fromEntries(pairs)
}

describe('the challenge', () => {
  test.each(['hub_token_missing', 'storage_token_missing'] as const)(
    'has no error code when nothing was sent: %s',
    (code) => {
      expect(headersOf(refuse(code, 'Send one.'))['WWW-Authenticate']).toBe(
        'Bearer realm="latchkey"',
      )
    },
  )

  test.each(['hub_token_invalid', 'storage_token_invalid'] as const)(
    'says that the token is not valid: %s',
    (code) => {
      expect(headersOf(refuse(code, 'It is "old".'))['WWW-Authenticate']).toBe(
        `Bearer realm="latchkey", error="invalid_token", error_description="It is 'old'."`,
      )
    },
  )

  test.each([
    'permission_denied',
    'insufficient_scope',
    'repository_mismatch',
    'ref_mismatch',
  ] as const)('says that the token does not reach: %s', (code) => {
    expect(headersOf(refuse(code, 'No.'))['WWW-Authenticate']).toBe(
      'Bearer realm="latchkey", error="insufficient_scope", error_description="No."',
    )
  })

  test('comes with 401 and 403 only, and not where no token would help', () => {
    const challenged = codes.filter((code) => 'WWW-Authenticate' in headersOf(refuse(code, 'No.')))
    const forTokens = codes.filter((code) => [401, 403].includes(statusOf[code]))
    expect(challenged).toEqual(
      forTokens.filter((code) => !/^(blob_url|signature)_invalid$/.test(code)),
    )
  })
})

// RFC 9110 §15.5.17
test('how long the whole is stands in a header and nowhere else', () => {
  const refusal = refuse('range_not_satisfiable', 'No.', { wholeBytes: 4711 })
  expect(headersOf(refusal)['Content-Range']).toBe('bytes */4711')
  expect(answerRefusal(refusal, { requestId }).body).not.toContain('4711')
})

test('the methods that are allowed stand in a header and nowhere else', () => {
  const refusal = refuse('method_not_allowed', 'No.', { allow: 'GET, PUT' })
  expect(headersOf(refusal)['Allow']).toBe('GET, PUT')
  expect(answerRefusal(refusal, { requestId }).body).not.toContain('PUT')
  expect(headersOf(refuse('method_not_allowed', 'No.'))).not.toHaveProperty('Allow')
})

test('the length of the body is counted in bytes', () => {
  const refusal = refuse('not_found', 'Nothing at é, 語 or 🗝.')
  const { body } = answerRefusal(refusal, { requestId })
  expect(headersOf(refusal)['Content-Length']).toBe(String(Buffer.byteLength(body)))
})

test('a token in any of its sentences is not repeated', () => {
  const token = `lk_${'7'.repeat(49)}`
  const refusal = refuse('bad_request', `No ${token}.`, { missing: token, path: `a.${token}` })
  const { headers, body } = answerRefusal(refusal, { requestId })
  expect(JSON.stringify([headers, body])).not.toContain('7777')
})

test('the wait is told with every refusal that has one, the limit only with a limit', () => {
  const limited = headersOf(refuse('rate_limited', 'No.', { retryAfterSeconds: 7 }))
  expect(limited).toMatchObject({ 'Retry-After': '7', RateLimit: '"latchkey";r=0;t=7' })
  const stopping = headersOf(refuse('stopping', 'No.', { retryAfterSeconds: 1 }))
  expect(stopping).toMatchObject({ 'Retry-After': '1' })
  expect(stopping).not.toHaveProperty('RateLimit')
})
