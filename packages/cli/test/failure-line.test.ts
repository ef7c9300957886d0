import type { ClientCode } from '@latchkey/client'
import { Secret, statusOf } from '@latchkey/protocol'
import { expect, it } from 'vitest'
import { stopForFailure } from '../src/client/failure-line.ts'

const target = { repo: 'models/acme/bert', revision: 'main' }
const token = new Secret('hub-token', `lk_${'a'.repeat(49)}`)
const clientCodes: Record<ClientCode, true> = {
  bad_option: true,
  path_refused: true,
  hub_unreachable: true,
  storage_unreachable: true,
  answer_invalid: true,
  redirected: true,
  body_not_repeatable: true,
  closed: true,
}
const codes = Object.keys({ ...clientCodes, ...statusOf }) as (keyof typeof statusOf)[]

it('a gate in the place of the hub is recognised', () => {
  const login = {
    url: 'https://gate.example',
    token,
    source: 'stored',
    allowPlainHttp: false,
  } as const
  const failure = { code: 'storage_token_invalid', message: 'No.' } as const
  expect(stopForFailure(failure, { login }).message).toBe(
    'https://gate.example responds like a gate, so it may not be a hub; check --hub: No',
  )
})

// conformance: Client / Every failed command prints one line and has an exit code
it.each(codes)('%s ends a command with one line that is a sentence', (code) => {
  for (const source of ['typed', 'stored', 'environment'] as const) {
    const login = { url: 'https://hub.example', token, source, allowPlainHttp: false }
    const failure = { code, message: 'It is so.', requestId: 'r1' }
    const { exitCode, message } = stopForFailure(failure, { login, target })
    expect([1, 2, 3]).toContain(exitCode)
    expect(message).toMatch(/^[^\n]{5,}[^.]$/)
    expect(message).not.toMatch(/undefined|\[hub-token\]|lk_/)
  }
})
