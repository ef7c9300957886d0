/** Arbitrary texts for property tests. fast-check lists all of Unicode for its own, which takes a second of each process. */

import fc from 'fast-check'

const [firstSurrogate, surrogates] = [0xd800, 0x800]

/** Any character of Unicode, also one that stands for nothing. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((code) => String.fromCodePoint(code < firstSurrogate ? code : code + surrogates))

/** Also what people see as one character and is several. */
export const anyCharacter: fc.Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: character },
  { weight: 1, arbitrary: fc.constantFrom('e\u0301', '\u{1f469}\u200d\u{1f467}', '\u0e01\u0e47') },
)

export function anyText(lengths: { minLength?: number; maxLength?: number } = {}) {
  return fc.string({ ...lengths, unit: anyCharacter })
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@"
const inSegment = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(...plain) },
  { weight: 1, arbitrary: character.map(encodeURIComponent) },
)

/** As RFC 3986 allows it, percent-encoded where it must be. */
export const anyWebPath: fc.Arbitrary<string> = fc
  .array(fc.string({ unit: inSegment }))
  .map((segments) => segments.map((segment) => `/${segment}`).join(''))

export const anyWebUrl: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), anyWebPath)
  .map(([scheme, authority, path]) => `${scheme}://${authority}${path}`)
