/** No adapter repeats a token to whoever reads its answers. */

import { bearer, prefix, token } from '@latchkey/testing/gate/storage-tokens'
import type { HeaderLine, Sent } from '@latchkey/testing/vectors/read-vectors'
import { describe, expect, test } from 'vitest'
import { adapters } from './adapters.ts'

const right = token()
const expired = token({ exp: 1 as never })
const hubToken = `lk_${'0123456789'.repeat(5).slice(1)}`
const target = `${prefix}/v1/chunks/default/abc`

function get(at: string, ...headers: readonly HeaderLine[]): Sent {
  return { method: 'GET', target: at, headers }
}

// biome-ignore format: a table is read by its columns
const requests: readonly (readonly [what: string, request: Sent])[] = [
  ['an admitted request',               get(target, ['Authorization', `Bearer ${right}`])],
  ['an expired token',                  get(target, ['Authorization', `Bearer ${expired}`])],
  ['a forged token',                    get(target, ['Authorization', `Bearer ${right.slice(0, -4)}AAAA`])],
  ['a hub token',                       get(target, ['Authorization', `Bearer ${hubToken}`])],
  ['two tokens',                        get(target, ['Authorization', `Bearer ${right} ${hubToken}`])],
  ['a token in the query',              get(`${target}?token=${right}`)],
  ['a token in the path',               get(`/r/${right}/${hubToken}/x`, ['Authorization', bearer()])],
  ['a token in a path that is refused', get(`${prefix}/${right}/`, ['Authorization', bearer()])],
  ['a token in an identity header',     get(target, ['Latchkey-Subject', right])],
  ['a token for another ref',           get(target.replace('mainuid', 'devuid'), ['Authorization', `Bearer ${right}`])],
]

describe.each(Object.entries(adapters))('through %s', (_, open) => {
  test.each(requests)('the answer to %s holds no token', async (_what, request) => {
    const { send } = await open()
    const { everything } = await send(request)
    expect(everything).not.toBe('')
    for (const secret of [right, expired, hubToken, right.split('.')[2] ?? right]) {
      expect(everything).not.toContain(secret)
    }
  })
})
