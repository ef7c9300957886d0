/** Arbitrary texts for property tests. fast-check lists all of Unicode for its own, which takes a second of each process. */

import fc from 'fast-check'

const [firstSurrogate, surrogates] = [0xd800, 0x800]

/** Any character of Unicode, also one that stands for nothing. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((code) => String.fromCodePoint(code < firstSurrogate ? code : code + surrogates))

export function anyText(lengths: { minLength?: number; maxLength?: number } = {}) {
  return fc.string({ ...lengths, unit: character })
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
