/** Arbitrary words of the protocol, for the property tests. */

import fc from 'fast-check'
import { isName, parseRevision, type RepoRef, repoTypes, scopes } from '../src/index.ts'

/** Any text at all, halves of surrogate pairs included. */
export const arbitraryText = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff }))
    .map((code) => String.fromCharCode(code)),
})

const nameLetters = 'ABCXYZabcxyz0189._-'

export const arbitraryName = fc
  .string({ unit: fc.constantFrom(...nameLetters), minLength: 1, maxLength: 96 })
  .filter(isName)

export const arbitraryRepo: fc.Arbitrary<RepoRef> = fc.record({
  type: fc.constantFrom(...repoTypes),
  namespace: arbitraryName,
  name: arbitraryName,
})

export const arbitraryScope = fc.constantFrom(...scopes)

export const arbitraryHash = fc.constantFrom(40, 64).chain((length) =>
  fc.string({
    unit: fc.constantFrom(...'0123456789abcdef'),
    minLength: length,
    maxLength: length,
  }),
)

/** Text rich in what ref names refuse, with accents, other scripts and characters of four bytes. */
export const arbitraryRefText = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...'abXY019-_') },
      { weight: 2, arbitrary: fc.constantFrom('/', '.', '@', '{', '}', '#', '%', '"', '+', '&') },
      { weight: 1, arbitrary: fc.constantFrom('é', 'Ω', '名', '🗝', '\u0301', '\u2028') },
      { weight: 1, arbitrary: fc.constantFrom('.lock', '@{', '..', '//', 'refs/', 'HEAD', 'None') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(' ', '~', '^', ':', '?', '*', '[', '\\', '\u0001', '\u007f'),
      },
    ),
    { minLength: 1, maxLength: 24 },
  )
  .map((pieces) => pieces.join(''))

/** A text that names a revision which can exist. */
export const arbitraryRevision = fc
  .oneof(
    arbitraryHash,
    arbitraryRefText,
    arbitraryRefText.map((text) => `refs/heads/${text}`),
    arbitraryRefText.map((text) => `refs/tags/${text}`),
    arbitraryRefText.map((text) => `refs/pr/${text}`),
  )
  .filter((text) => parseRevision(text).kind !== 'impossible')
