/** Keys with encoded and trailing slashes, at a gate whose operator allows them. */

import { parseNormalPath, parseStoragePath, slashForms } from '@latchkey/protocol'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { GateOptions } from '../../src/check/options.ts'
import { asking, gateWith, outcome } from './ask.ts'

const read = (gate: ReturnType<typeof gateWith>, rest: string) =>
  outcome(gate, asking(bearer(), { target: `${prefix}${rest}` }))

test('each form passes where it is allowed, and nowhere else', async () => {
  const slashes = { 'encoded-slash': '/a%2Fb', 'trailing-slash': '/a/b/' } as const
  for (const form of slashForms) {
    for (const other of slashForms) {
      const gate = gateWith({ allowPaths: [form] })
      expect(await read(gate, slashes[other])).toBe(form === other ? 'admitted' : 'bad_request')
    }
    expect(await read(gateWith(), slashes[form])).toBe('bad_request')
  }
  expect(() => gateWith({ allowPaths: ['dots'] } as unknown as GateOptions)).toThrow(/allowPaths/)
})

test('an admitted path comes out as it came in', async () => {
  const gate = gateWith({ allowPaths: slashForms })
  for (const path of ['/a%2Fb%2fc', '/a/', '/a%2F', '/%C3%A9%2Fb/']) {
    const checked = await gate.check(asking(bearer(), { target: `${prefix}${path}` }))
    expect(checked).toMatchObject({ ok: true, path, prefix })
  }
})

describe('at a gate that allows both', () => {
  const allowPaths = slashForms
  const gate = gateWith({
    allowPaths,
    rules: { write: [{ methods: ['POST'], path: '/v1/locks/*' }] },
  })

  test.each([
    '/a%2F%2Fb',
    '/a//',
    '//',
    '/%2F',
    '/a/%2F',
    '/.%2Fa',
    '/a%2F..',
    '/a%252Fb',
    '/a%5Cb',
  ])('%s is refused all the same', async (rest) =>
    expect(await read(gate, rest)).toBe('bad_request'),
  )

  test.each(['/r/bertuid%2Fmainuid/a', '/r%2Fbertuid/mainuid/a', '/r/bertuid/mainuid%2Fa'])(
    'the prefix of %s must be spelled as the hub gave it',
    async (target) =>
      expect(await outcome(gate, asking(bearer(), { target }))).not.toBe('admitted'),
  )

  test.each([
    '/v1%2Fshards',
    '/a%2fxorb-grants/b',
    '/shard/',
    '/v1/locks%2Fa',
    '/v1%2Flocks/a/',
    '/v1/locks/a%2Fb/',
  ])('a read token posts nothing to %s, however its slashes are read', async (rest) => {
    const request = asking(bearer(), { method: 'POST', target: `${prefix}${rest}` })
    expect(await outcome(gate, request)).toBe('insufficient_scope')
  })

  test('a path that is admitted is normal once its slashes are plain', () => {
    const piece = fc.constantFrom(
      'a',
      'shard',
      '.',
      '..',
      '/',
      '%2F',
      '%2f',
      '%20',
      '%25',
      '%2e',
      '\\',
      ';',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = `/${pieces.join('')}`
        if (parseStoragePath(path, slashForms) === undefined) return
        const plain = path.replaceAll(/%2f/gi, '/').replace(/(.)\/$/, '$1')
        expect(parseNormalPath(plain)).toBe(plain)
      }),
    )
  })
})
