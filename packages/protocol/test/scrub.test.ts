/** The scrubber of the logs: no secret survives it, and nothing else is touched. */

import { anyText } from '@latchkey/testing/any-text'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scrub } from '../src/token-shape.ts'

const numRuns = rounds(400, 20_000)

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const prefix = fc.stringMatching(/^[a-z][a-z0-9]{0,15}_$/)
const hubToken = fc
  .tuple(prefix, fc.stringMatching(/^[0-9A-Za-z]{49}$/))
  .map(([start, random]) => start + random)
const accessToken = fc.tuple(fc.jsonValue(), bytes(64)).map(([claim, signature]) => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = Buffer.from(signature).toString('base64url')
  return `${part({ alg: 'ES256', kid: 'k'.repeat(43) })}.${part({ claim })}.${text}`
})

/** What may stand right beside a secret: nothing, words, other shapes, and what looks like one. */
const beside = fc.oneof(
  fc.constant(''),
  fc.string(),
  anyText(),
  fc.stringMatching(/^[a-z0-9_.%\-/=:]{0,60}$/),
  fc.stringMatching(/^[a-z]{1,8}_[0-9A-Za-z]{40,60}$/),
)

describe('the scrubber of log lines', () => {
  test('leaves nothing of a hub token, wherever in a line it stands', () => {
    const embedded = fc.tuple(beside, hubToken, beside)
    fc.assert(
      fc.property(embedded, ([before, token, after]) => {
        const line = scrub(JSON.stringify({ event: 'x', ref: before + token + after }))
        expect(line).not.toContain(token.slice(token.indexOf('_') + 1))
      }),
      { numRuns },
    )
  })

  test('leaves no signature of an access token, wherever in a line it stands', () => {
    const embedded = fc.tuple(beside, accessToken, beside)
    fc.assert(
      fc.property(embedded, ([before, token, after]) => {
        const line = scrub(JSON.stringify({ event: 'x', ref: before + token + after }))
        expect(line).not.toContain(token.slice(token.lastIndexOf('.') + 1))
      }),
      { numRuns },
    )
  })

  test('leaves nothing of secrets that stand one behind the other', () => {
    const several = fc.array(fc.oneof(hubToken, accessToken), { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(several, (tokens) => {
        const line = scrub(JSON.stringify({ ref: tokens.join('') }))
        for (const token of tokens) expect(line).not.toContain(token.slice(-40))
      }),
      { numRuns },
    )
  })

  test('leaves nothing of a token whose marks are percent-encoded', () => {
    const encode = (text: string) => text.replaceAll('_', '%5F').replaceAll('.', '%2e')
    fc.assert(
      fc.property(fc.oneof(hubToken, accessToken), fc.boolean(), (token, twice) => {
        const encoded = twice ? encode(token).replaceAll('%', '%25') : encode(token)
        expect(scrub(JSON.stringify({ ref: encoded }))).not.toContain(token.slice(-40))
      }),
      { numRuns },
    )
  })

  test('leaves nothing of a token whose letters and digits are percent-encoded', () => {
    const codes = fc.tuple(fc.oneof(hubToken, accessToken), fc.infiniteStream(fc.nat(3)))
    const decode = (text: string) =>
      text.replace(/%(?:25)*([0-9a-f]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)))
    fc.assert(
      fc.property(codes, ([token, often]) => {
        const encoded = token.replace(/./g, (character) => {
          const times = often.next().value
          if (times === 0) return character
          return `%${'25'.repeat(times - 1)}${character.charCodeAt(0).toString(16)}`
        })
        const line = scrub(JSON.stringify({ path: `/r/${encoded}/x` }))
        expect(decode(line)).not.toContain(token.slice(-16))
        expect(line).toMatch(/^\{"path":"\/r\/\[(hub|access)-token\]\/x"\}$/)
      }),
      { numRuns },
    )
  })

  test.each([2, 3, 4, 5, 9])('leaves nothing of a token that was encoded %i times', (times) => {
    const whole = (text: string) =>
      text.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`)
    // Beyond a few times a token would be too long for a request.
    const encode = (text: string) => {
      let encoded = text
      for (let left = times; left > 0; left -= 1) {
        encoded = encoded.length < 10_000 ? whole(encoded) : encoded.replaceAll('%', '%25')
      }
      return encoded
    }
    const cut = /^\{"path":"\/r\/\[(hub|access)-token\]\/x"\}$/
    fc.assert(
      fc.property(fc.oneof(hubToken, accessToken), fc.nat(30), (token, at) => {
        for (const part of [token, token.slice(at, at + 1)]) {
          const encoded = token.replace(part, encode(part))
          expect(scrub(`{"path":"/r/${encoded}/x"}`)).toMatch(cut)
        }
      }),
      { numRuns: 40 },
    )
  })

  test('leaves paths as they are that were encoded twice', () => {
    const line = '{"path":"/r/a%252Fb%25%32%46c/%2541%20d"}'
    expect(scrub(line)).toBe(line)
  })

  test('leaves nothing of what follows a bearer scheme', () => {
    const credential = fc.stringMatching(/^[A-Za-z0-9._~+/-]{12,80}={0,2}$/)
    const scheme = fc.constantFrom('Bearer ', 'bearer ', 'BEARER  ', 'Bearer\t')
    fc.assert(
      fc.property(scheme, credential, (word, secret) => {
        expect(scrub(`authorization: ${word}${secret}"`)).not.toContain(secret)
      }),
      { numRuns },
    )
  })

  test('leaves ordinary lines as they are', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,30}$/)
    const hash = fc.stringMatching(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
    const id = fc.stringMatching(/^[a-z2-7]{26}$/)
    const line = fc.record({ subject: id, hubToken: id, repository: name, ref: hash, code: name })
    // Ids are random letters, so one of them begins like a token before long.
    const unlucky = 'aaeyjaaaaaaaaaaaaaaaaaaaaa'
    const known = { subject: unlucky, hubToken: unlucky, repository: 'a', ref: '0', code: 'a' }
    fc.assert(
      fc.property(line, (fields) => {
        const text = JSON.stringify(fields)
        expect(scrub(text)).toBe(text)
      }),
      { numRuns, examples: [[known]] },
    )
  })

  test('is content with what it has scrubbed', () => {
    const text = fc.tuple(beside, fc.oneof(hubToken, accessToken), beside)
    fc.assert(
      fc.property(text, (parts) => {
        const once = scrub(parts.join(''))
        expect(scrub(once)).toBe(once)
      }),
      { numRuns },
    )
  })

  test('writes out every character that could mislead a reader of the log', () => {
    const misleading = [0x7f, 0x80, 0x85, 0x9b, 0x9f, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029]
    const overrides = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]
    for (const code of [...misleading, ...overrides]) {
      const character = String.fromCharCode(code)
      const written = `\\u${code.toString(16).padStart(4, '0')}`
      expect(scrub(`a${character}b`)).toBe(`a${written}b`)
    }
  })

  test('keeps a line the JSON that it was', () => {
    const value = anyText()
    fc.assert(
      fc.property(value, beside, (one, other) => {
        const line = JSON.stringify({ one, other })
        expect(() => JSON.parse(scrub(line))).not.toThrow()
      }),
      { numRuns },
    )
  })

  test('takes no longer for a hostile line than its length deserves', () => {
    const hostile = ['a'.repeat(96_000), 'a_'.repeat(48_000), 'eyJ'.repeat(32_000)]
    const escapes = ['%', '%2', '%25', '%25%32%35', '%2525%35', '%5', '%25%']
    hostile.push(...escapes.map((part) => part.repeat(90_000 / part.length)))
    hostile.push(`%${'25'.repeat(45_000)}`, `%${'25'.repeat(45_000)}%35%66`)
    const spaces = `bearer${' '.repeat(96_000)}`
    for (const text of [...hostile, spaces, 'bearer '.repeat(14_000)]) {
      // Looking again from every character would take minutes.
      const started = performance.now()
      scrub(`_${'0'.repeat(49)}${text}`)
      expect(performance.now() - started).toBeLessThan(10_000)
    }
  })
})
