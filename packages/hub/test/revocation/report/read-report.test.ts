/** Which bodies are reports. */

import { isRefusal } from '@latchkey/protocol'
import { anyText } from '@latchkey/testing/any-text'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxTokens, readReport } from '../../../src/revocation/report/read-reports.ts'

const numRuns = rounds(300, 10_000)
const texts = fc.array(anyText(), { minLength: 1, maxLength: 20 })
const read = (value: unknown) => readReport(Buffer.from(JSON.stringify(value)))

describe('a report', () => {
  test('in each of its forms has the tokens that were put into it, in their order', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.jsonValue(), async (tokens, url) => {
        expect(await read({ tokens })).toEqual({ texts: tokens, isPartners: false })
        expect(await read({ token: tokens[0] })).toEqual({ texts: [tokens[0]], isPartners: false })
        const found = tokens.map((token) => ({ token, type: 'latchkey_hub_token', url }))
        expect(await read(found)).toEqual({ texts: tokens, isPartners: true })
      }),
      { numRuns },
    )
  })

  test('is read from any bytes or refused, and the refusal repeats nothing of them', async () => {
    const details = new Set<string>()
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
    )
    await fc.assert(
      fc.asyncProperty(body, async (bytes) => {
        const report = await readReport(bytes)
        if (isRefusal(report)) details.add(report.detail)
        else expect(report.texts.every((text) => typeof text === 'string')).toBe(true)
      }),
      { numRuns },
    )
    expect(
      [...details].filter((detail) => !/^(The body is not|A report has 1 to)/.test(detail)),
    ).toEqual([])
  })

  test.each([
    ['nothing', ''],
    ['no JSON', 'token=abc'],
    ['JSON that breaks off', '{"token":"a"'],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d])],
    ['null', 'null'],
    ['a text', '"abc"'],
    ['an object without tokens', '{}'],
    ['both members', '{"token":"a","tokens":["b"]}'],
    ['another member', '{"token":"a","url":"b"}'],
    ['a token that is no text', '{"token":1}'],
    ['tokens that are no list', '{"tokens":"abc"}'],
    ['a list with something else', '{"tokens":["a",null]}'],
    ['a list of texts', '["a"]'],
    ['a list with an item without a token', '[{"token":"a"},{"type":"b"}]'],
  ])('is not: %s', async (_, body) => {
    expect(await readReport(Buffer.from(body))).toMatchObject({
      code: 'bad_request',
      detail: expect.stringContaining('The body is not a report'),
    })
  })

  test(`has at least one and at most ${maxTokens} tokens`, async () => {
    const tokens = (count: number) => ({ tokens: Array<string>(count).fill('a') })
    expect(await read(tokens(maxTokens))).toMatchObject({ isPartners: false })
    for (const body of [tokens(0), tokens(maxTokens + 1), []]) {
      expect(await read(body)).toMatchObject({
        code: 'bad_request',
        detail: 'A report has 1 to 1000 tokens. Send more of them in further reports.',
      })
    }
  })
})
