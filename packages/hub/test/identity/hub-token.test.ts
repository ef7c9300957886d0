/** The format of hub tokens: recognised, or refused, without a lookup. */

import { createHash } from 'node:crypto'
import { isPrefix } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  defaultPrefix,
  hashHubToken,
  hintOf,
  makeHubToken,
  parseHubToken,
} from '../../src/identity/hub-token.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 300
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefixes = new Set(['lk_', 'hf_'])
const made = makeHubToken('lk_', () => Buffer.alloc(32, 7))
const token = made.reveal()
const arbitraryBytes = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((raw) => Buffer.from(raw))

function isRecognised(text: string): boolean {
  return parseHubToken(text, prefixes) !== undefined
}

/** CRC-32 (IEEE 802.3), bit by bit. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

function numberOf(digits: string): bigint {
  return [...digits].reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n)
}

describe('a text is no hub token', () => {
  test.each([
    ['when it is empty', ''],
    ['when it is a prefix', 'lk_'],
    ['with its last character missing', token.slice(0, -1)],
    ['with its first character missing', token.slice(1)],
    ['with a character more', `${token}0`],
    ['with a character more in front', `l${token}`],
    ['with a space in front', ` ${token}`],
    ['with a space behind', `${token} `],
    ['with a line break behind', `${token}\n`],
    ['without its prefix', token.slice(3)],
    ['with its prefix in capitals', token.replace('lk_', 'LK_')],
    ['with its prefix twice', `lk_${token}`],
    ['in capitals', token.toUpperCase()],
    ['with a checksum of zeros', `${token.slice(0, -6)}000000`],
  ])('%s', (_, text) => {
    expect(isRecognised(text)).toBe(false)
  })

  test('with any one character changed, at any place', () => {
    const letters = [...alphabet, '_', '-', '.', ' ', 'é', '\u0000']
    for (const [at, letter] of [...token].entries()) {
      const changed = letters
        .filter((other) => other !== letter)
        .map((other) => token.slice(0, at) + other + token.slice(at + 1))
      expect(changed.filter(isRecognised)).toEqual([])
    }
  })

  test('with two neighbours swapped', () => {
    for (let at = 0; at + 1 < token.length; at += 1) {
      const [one = '', other = ''] = token.slice(at, at + 2)
      const swapped = token.slice(0, at) + other + one + token.slice(at + 2)
      if (one !== other) expect(isRecognised(swapped)).toBe(false)
    }
  })

  test('under another prefix of ours, which the checksum covers', () => {
    expect(isRecognised(token.replace('lk_', 'hf_'))).toBe(false)
  })

  test('under a prefix that is not ours, however good the checksum', () => {
    const foreign = makeHubToken('ghp_', () => Buffer.alloc(32, 7)).reveal()
    expect(isRecognised(foreign)).toBe(false)
    expect(parseHubToken(foreign, new Set(['ghp_']))).toBeDefined()
    expect(parseHubToken(token, new Set())).toBeUndefined()
  })
})

describe('a hub token', () => {
  test.each(['lk_', 'hf_'])('is recognised under every prefix we know: %s', (prefix) => {
    fc.assert(
      fc.property(arbitraryBytes, (bytes) => {
        const text = makeHubToken(prefix, () => bytes).reveal()
        expect(parseHubToken(text, prefixes)?.reveal()).toBe(text)
      }),
      { numRuns: runs },
    )
  })

  test('is its prefix, 43 digits for 256 random bits, and 6 for the CRC-32 of all before', () => {
    fc.assert(
      fc.property(arbitraryBytes, (bytes) => {
        const text = makeHubToken('lk_', () => bytes).reveal()
        expect(text).toMatch(/^lk_[0-9A-Za-z]{49}$/)
        expect(numberOf(text.slice(3, 46))).toBe(BigInt(`0x${bytes.toString('hex')}`))
        expect(numberOf(text.slice(46))).toBe(BigInt(crc32(text.slice(0, 46))))
      }),
      { numRuns: runs },
    )
  })

  test.each([
    [0x00, '0'.repeat(43)],
    [0xff, 'a digit of the largest number'],
  ])('has the same length for the smallest and the largest number: %i', (byte, digits) => {
    const text = makeHubToken('lk_', () => Buffer.alloc(32, byte)).reveal()
    expect(text).toHaveLength(52)
    if (byte === 0) expect(text.slice(3, 46)).toBe(digits)
    expect(isRecognised(text)).toBe(true)
  })

  test('asks for 32 random bytes', () => {
    const asked: number[] = []
    makeHubToken('lk_', (length) => {
      asked.push(length)
      return Buffer.alloc(length)
    })
    expect(asked).toEqual([32])
  })

  test('is known at rest by its SHA-256 and by a hint from its random part', () => {
    expect(hashHubToken(made)).toBe(createHash('sha256').update(token).digest('hex'))
    expect(hintOf(made)).toBe(token.slice(42, 46))
    expect(hintOf(made)).toHaveLength(4)
  })

  test('prints as its kind', () => {
    expect(`${made} ${parseHubToken(token, prefixes)}`).toBe('[hub-token] [hub-token]')
  })
})

describe('a prefix', () => {
  test.each([
    '',
    '_',
    'lk',
    'LK_',
    '1k_',
    'l-k_',
    'lk__',
    'lk_x',
    ' lk_',
    'lk_\n',
    `${'a'.repeat(17)}_`,
  ])('is refused: %j', (text) => {
    expect(isPrefix(text)).toBe(false)
  })

  test.each(['lk_', 'hf_', 'a_', 'a1_', `${'a'.repeat(16)}_`])('is accepted: %s', (text) => {
    expect(isPrefix(text)).toBe(true)
    const own = makeHubToken(text, () => Buffer.alloc(32, 1)).reveal()
    expect(parseHubToken(own, new Set([text]))).toBeDefined()
  })

  test('is lk_ unless the operator chooses another', () => {
    expect(defaultPrefix).toBe('lk_')
  })
})
