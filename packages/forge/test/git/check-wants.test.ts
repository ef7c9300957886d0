/** However a request is cut into parts, git reads no hash that was not checked. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkWants } from '../../src/git/index.ts'

const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
const [good, bad, none] = ['a1', 'b2', '00'].map((pair) => pair.repeat(20)) as [
  string,
  string,
  string,
]

async function passed(text: string, cuts: readonly number[] = []): Promise<string> {
  const ends = [...new Set([...cuts.map((cut) => cut % (text.length + 1)), text.length])]
  const parts = ends
    .toSorted((one, other) => one - other)
    .map((end, at, all) => Buffer.from(text.slice(all[at - 1] ?? 0, end), 'latin1'))
  const said: Uint8Array[] = []
  async function* body() {
    yield* parts
  }
  for await (const part of checkWants(body(), async (hash) => hash === good)) said.push(part)
  return Buffer.concat(said).toString('latin1')
}

const request = (hash: string) =>
  `${line('command=fetch')}0001${line(`want ${hash}\n`)}${line(`shallow ${hash}\n`)}${line(`want ${good} caps`)}${line(`have ${bad}\n`)}0000`

describe('a request of git', () => {
  // conformance: Forge / A hash gives no access beyond the API
  test('passes as it is where it asks for what is offered, and for nothing instead of the rest', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat()), fc.boolean(), async (cuts, isUpper) => {
        const asked = isUpper ? good.toUpperCase() : good
        expect(await passed(request(asked), cuts)).toBe(request(asked))
        expect(await passed(request(isUpper ? bad.toUpperCase() : bad), cuts)).toBe(request(none))
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    ['0003', ''],
    ['zzzz', ''],
    ['ffff', ''],
    [`${line('command=fetch')}fff1want ${bad}`, line('command=fetch')],
    [line('want b2b2'), line('want 0000')],
    [line('want '), line('want ')],
    [line(`shallow ${bad}`), line(`shallow ${none}`)],
    [line(`shallow ${good}`), line(`shallow ${good}`)],
    [line('shallow b2b2\n'), line('shallow 00000')],
    [line('deepen 1\n'), line('deepen 1\n')],
    [line('deepen 2147483647'), line('deepen 2147483647')],
    ...['0x7fffffff', '017777777777', '+5', ' 5', '-5', '0', '5 ', '6442450943'].map((text) => [
      line(`deepen ${text}`),
      line(`deepen ${'x'.repeat(text.length)}`),
    ]),
    [line('deepen-since 5'), line('deepen-since 5')],
    [`${line('done')}0032want ${bad.slice(2)}`, line('done')],
  ])('%j goes no further than %j', async (text, expected) => {
    expect(await passed(text)).toBe(expected)
  })
})
