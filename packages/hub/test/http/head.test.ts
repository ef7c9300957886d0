import crypto from 'node:crypto'
import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { replaceBuiltin } from '@latchkey/testing/replace-builtin'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

// conformance: Responses / HEAD runs the same checks and issues no token
test('HEAD is refused with the same status and headers as GET, without a body', async () => {
  const asked = [
    ['read models/acme/bert@main', undefined, 401],
    ['write models/acme/bert@main', 'reader/write', 403],
    ['read models/acme/none@main', 'reader/write', 404],
    ['read models/acme/bert@nowhere', 'reader/write', 404],
  ] as const
  for (const [what, as, status] of asked) {
    const [head, get] = [
      await ask(world, what, { as, method: 'HEAD' }),
      await ask(world, what, { as }),
    ]
    expect([head.status, get.status, head.text], what).toEqual([status, status, ''])
    const names = ['content-type', 'content-length', 'www-authenticate', 'x-error-code']
    for (const name of [...names, 'x-error-message', 'cache-control']) {
      expect(head.headers.get(name), `${what}: ${name}`).toBe(get.headers.get(name))
    }
  }
})

// conformance: Responses / HEAD runs the same checks and issues no token
test('HEAD answers 200 where GET would issue a token, and mints none', async () => {
  const sign = vi.fn(crypto.sign)
  onTestFinished(replaceBuiltin(crypto, { sign }))
  const told = await ask(world, 'write models/acme/bert@main', {
    as: 'writer/write',
    method: 'HEAD',
  })
  expect([told.status, told.text]).toEqual([200, ''])
  expect(sign).not.toHaveBeenCalled()
  expect(told.headers.get('content-type')).toBe('application/json')
  expect(told.headers.get('x-request-id')).toMatch(/^[a-z2-7]{26}$/)
  expect(told.headers.get('cache-control')).toBe('no-store')
  await ask(world, 'write models/acme/bert@main', { as: 'writer/write' })
  expect(sign).toHaveBeenCalledOnce()
})

// conformance: Responses / HEAD runs the same checks and issues no token
test('HEAD counts as no issued token in metrics and log', async () => {
  const issued = async () =>
    /^latchkey_tokens_issued_total\{scope="read"\} (\d+)$/m.exec(
      (await ask(world, '/metrics')).text,
    )?.[1]
  const before = await issued()
  await ask(world, 'read models/acme/bert@main', { as: 'writer/write', method: 'HEAD' })
  expect(await issued()).toBe(before)
  expect(JSON.parse(world.logLines.at(-1) ?? '')).toMatchObject({ event: 'token_checked' })
})
