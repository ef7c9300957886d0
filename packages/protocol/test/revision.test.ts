/** Which revisions a client can name, and which refs can exist. */

import { describe, expect, test } from 'vitest'
import {
  branchName,
  formatRevision,
  noCommit,
  parseCommitHash,
  parseCommitOrNone,
  parseRefName,
  parseRevision,
  type RefName,
  refKind,
  shortRefName,
  tagName,
} from '../src/index.ts'

const hash = '0123456789abcdef0123456789abcdef01234567'
const sha256 = hash + hash.slice(0, 24)

const impossible: readonly (readonly [string, string])[] = [
  ['the empty text', ''],
  ['HEAD', 'HEAD'],
  ['@', '@'],
  ['None', 'None'],
  ['HEAD as a branch', 'refs/heads/HEAD'],
  ['@ as a branch', 'refs/heads/@'],
  ['None as a tag', 'refs/tags/None'],
  ['HEAD as a tag', 'refs/tags/HEAD'],
  ['a branch inside refs/heads/ that begins with refs/', 'refs/heads/refs/x'],
  ['a tag that begins with refs/', 'refs/tags/refs/heads/main'],
  ['a branch called like a hash', `refs/heads/${hash}`],
  ['a branch called like a hash in capitals', `refs/heads/${hash.toUpperCase()}`],
  ['a tag called like a long hash', `refs/tags/${sha256}`],
  ['40 zeros', '0'.repeat(40)],
  ['64 zeros', '0'.repeat(64)],
  ['a branch called 40 zeros', `refs/heads/${'0'.repeat(40)}`],
  ['a tag called 64 zeros', `refs/tags/${'0'.repeat(64)}`],
  ['refs alone', 'refs/'],
  ['refs/heads alone', 'refs/heads'],
  ['refs/heads/ with nothing behind', 'refs/heads/'],
  ['a ref of one level', 'refs/stash'],
  ['a ref of one level and a slash', 'refs/pr/'],
  ['two slashes', 'a//b'],
  ['a leading slash', '/a'],
  ['a trailing slash', 'a/'],
  ['two dots', 'a..b'],
  ['a climb', '..'],
  ['a climb inside', 'a/../b'],
  ['a leading dot', '.a'],
  ['a leading dot in a later part', 'a/.b'],
  ['a trailing dot', 'a.'],
  ['.lock', 'a.lock'],
  ['.lock in an earlier part', 'a.lock/b'],
  ['@{', 'a@{b'],
  ['a leading dash', '-a'],
  ['a leading dash in a full name', 'refs/heads/-a'],
  ['a space', 'a b'],
  ['a tab', 'a\tb'],
  ['a NUL', 'a\u0000'],
  ['a line break at the end', 'a\n'],
  ['a DEL', 'a\u007f'],
  ['a tilde', 'a~1'],
  ['a caret', 'a^'],
  ['a colon', 'a:b'],
  ['a question mark', 'a?'],
  ['a star', 'a*'],
  ['an opening bracket', 'a[b'],
  ['a backslash', 'a\\b'],
  ['half a surrogate pair', 'a\ud800'],
  ['256 bytes', 'a'.repeat(256)],
  ['256 bytes in 128 characters', 'é'.repeat(128)],
  ['258 bytes in 86 characters', '名'.repeat(86)],
  ['256 bytes behind refs/heads/', `refs/heads/${'a'.repeat(256)}`],
  ['256 bytes behind refs/tags/', `refs/tags/${'a'.repeat(256)}`],
  ['256 bytes of another ref', `refs/pr/${'a'.repeat(248)}`],
  ['300 characters', 'a'.repeat(300)],
]

describe('no ref can be called', () => {
  test.each(impossible)('%s', (_, text) => {
    expect(parseRevision(text)).toEqual({ kind: 'impossible', text })
    expect(formatRevision(parseRevision(text))).toBe(text)
  })

  test.each(['main', 'heads/main', '', 'Refs/heads/main', 'refs', 'x/refs/pr/1', hash])(
    'by a full name that does not begin with refs/: %j',
    (text) => {
      expect(parseRefName(text)).toBeUndefined()
    },
  )
})

describe('a commit hash', () => {
  test.each([
    ['39 digits', hash.slice(1)],
    ['41 digits', `${hash}0`],
    ['63 digits', sha256.slice(1)],
    ['65 digits', `${sha256}0`],
    ['a letter that is no digit', `g${hash.slice(1)}`],
    ['a line break at the end', `${hash}\n`],
    ['a space in front', ` ${hash}`],
    ['digits that are not ASCII', '٠'.repeat(40)],
    ['0x in front', `0x${hash.slice(2)}`],
    ['40 zeros', '0'.repeat(40)],
    ['64 zeros', '0'.repeat(64)],
  ])('is none with %s', (_, text) => {
    expect(parseCommitHash(text)).toBeUndefined()
    expect(parseRevision(text).kind).not.toBe('commit')
  })

  test.each([hash, sha256])('is recognised at its full length: %s', (text) => {
    expect(parseRevision(text)).toEqual({ kind: 'commit', hash: text })
    expect(formatRevision(parseRevision(text))).toBe(text)
  })

  test.each([hash, sha256])('is folded to lower case: %s', (text) => {
    expect(parseRevision(text.toUpperCase())).toEqual({ kind: 'commit', hash: text })
  })
})

describe('where there may be no commit', () => {
  test.each([hash.slice(1), 'main', '', '0', '0'.repeat(41), '0'.repeat(63)])(
    '%j is neither a commit nor none',
    (text) => {
      expect(parseCommitOrNone(text)).toBeUndefined()
    },
  )

  test.each([40, 64])('%i zeros are none', (digits) => {
    expect(parseCommitOrNone('0'.repeat(digits))).toBe(noCommit)
  })

  test.each([hash, sha256])('%s is a commit', (text) => {
    expect(parseCommitOrNone(text.toUpperCase())).toBe(text)
  })
})

describe('a bare name', () => {
  test.each([
    'main',
    'feature/x#1%2F+é',
    'v1.0',
    'a@b',
    'head',
    'none',
    'a/HEAD',
    'heads/main',
    'xrefs/y',
    'a.lockx',
    'a-',
    'a{b}',
    '"quoted"',
    hash.slice(1),
    `${hash}0`,
    'a'.repeat(255),
    `${'é'.repeat(127)}a`,
    '名'.repeat(85),
    'a.LOCK',
    'Refs/x',
    '🗝',
  ])('means the tag or the branch of that name: %s', (text) => {
    expect(parseRevision(text)).toEqual({
      kind: 'bare',
      branch: `refs/heads/${text}`,
      tag: `refs/tags/${text}`,
    })
    expect(formatRevision(parseRevision(text))).toBe(text)
  })
})

describe('a full name', () => {
  test.each([
    ['refs/heads/main', 'branch', 'main'],
    ['refs/tags/v1', 'tag', 'refs/tags/v1'],
    ['refs/pr/1', 'other', 'refs/pr/1'],
    ['refs/headsx/a', 'other', 'refs/headsx/a'],
    ['refs/notes/HEAD', 'other', 'refs/notes/HEAD'],
    [`refs/heads/${'a'.repeat(255)}`, 'branch', 'a'.repeat(255)],
    [`refs/tags/${'a'.repeat(255)}`, 'tag', `refs/tags/${'a'.repeat(255)}`],
    [`refs/pr/${'a'.repeat(247)}`, 'other', `refs/pr/${'a'.repeat(247)}`],
  ])('means that ref alone: %s', (text, kind, short) => {
    const revision = parseRevision(text)
    expect(revision).toEqual({ kind: 'ref', name: text })
    expect(formatRevision(revision)).toBe(text)
    expect(refKind(text as RefName)).toBe(kind)
    expect(shortRefName(text)).toBe(short)
  })

  test('is compared byte for byte: composed and decomposed letters are two names', () => {
    expect(parseRevision('é')).not.toEqual(parseRevision('e\u0301'))
  })
})

test('a branch and a tag have full names of their own', () => {
  expect(branchName('v1')).toBe('refs/heads/v1')
  expect(tagName('v1')).toBe('refs/tags/v1')
  expect(branchName('HEAD')).toBeUndefined()
  expect(tagName('@')).toBeUndefined()
})
