/** The path of a file in a repository: what is refused, and what is taken. */

import { isRefusal, pathFlaw } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFilePath, parseFolderPath, parseNewPath } from '../../src/words/file-path.ts'
import { rounds } from '../rounds.ts'

const detailOf = (given: string | Uint8Array) => {
  const read = parseFilePath(given)
  return isRefusal(read) ? read.detail : undefined
}

describe('a path is refused, and the refusal says why', () => {
  test.each([
    ['', 'The path "" is empty.'],
    ['a//b', 'The path "a//b" has an empty part.'],
    ['a/../b', 'The path "a/../b" has . or .. as a part.'],
    ['a\u001bb', 'The path "a\\u001bb" holds a control character.'],
    ['.g\u200cit/x', 'The path ".g\\u{200c}it/x" has a part that git takes for its own folder.'],
    [
      `a/${'ä'.repeat(128)}`,
      `The path "a/${'ä'.repeat(78)}…" has a part that is longer than 255 bytes.`,
    ],
    [`${'a/'.repeat(100)}a`, `The path "${'a/'.repeat(40)}…" has more than 100 parts.`],
  ])('%j', (path, detail) => {
    expect(detailOf(path)).toBe(detail)
  })

  test('that is no UTF-8', () => {
    expect(detailOf(Uint8Array.of(0x61, 0xff))).toBe('The path is not valid UTF-8.')
    expect(detailOf(Uint8Array.of(0xc0, 0xaf))).toBe('The path is not valid UTF-8.')
  })

  test('that begins with a byte order mark as any other character', () => {
    expect(parseFilePath(Buffer.from('\ufeffa'))).toBe('\ufeffa')
    expect(isRefusal(parseFilePath(Buffer.from('\ufeff.git')))).toBe(true)
  })

  test('that names submodules, where a commit writes to it', () => {
    expect(parseNewPath('a/.GITMODULES ')).toMatchObject({ code: 'bad_request' })
    expect(parseNewPath('gi7eba~1')).toMatchObject({ code: 'bad_request' })
    expect(parseFilePath('.gitmodules')).toBe('.gitmodules')
    expect(parseNewPath('.gitattributes')).toBe('.gitattributes')
  })
})

describe('a path is taken', () => {
  test.each(['a', 'CON', 'a.', 'a ', 'x/y', 'ab:c', 'ä'.repeat(127), '-a', '~', '#a'])(
    '%j',
    (path) => {
      expect(parseFilePath(path)).toBe(path)
    },
  )

  test('of a folder, with one slash behind it or none', () => {
    expect(parseFolderPath('a/b/')).toBe('a/b')
    expect(parseFolderPath('a/b')).toBe('a/b')
    expect(isRefusal(parseFolderPath('a/b//'))).toBe(true)
    expect(isRefusal(parseFolderPath('/'))).toBe(true)
  })

  test('as it is or not at all, from text and from its bytes alike, and never by an exception', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom(...'./\\ a\0:'), fc.string({ maxLength: 1 })),
    })
    fc.assert(
      fc.property(text, (path) => {
        const read = parseFilePath(path)
        expect(isRefusal(read) || (read === path && pathFlaw(read) === undefined)).toBe(true)
        if (path.isWellFormed()) expect(parseFilePath(Buffer.from(path))).toEqual(read)
      }),
      { numRuns: rounds(500, 20_000) },
    )
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const read = parseFilePath(bytes)
        expect(isRefusal(read) || Buffer.from(read).equals(bytes)).toBe(true)
      }),
      { numRuns: rounds(500, 20_000) },
    )
  })
})
