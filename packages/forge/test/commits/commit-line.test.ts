/** One line of a commit: what is taken, and what is refused. */

import { isRefusal, parseRevision } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCommitLine } from '../../src/commits/commit-line.ts'
import { largestRegularBytes } from '../../src/large-files/upload-modes.ts'
import { decodeBase64 } from '../../src/words/base64.ts'
import { rounds } from '../rounds.ts'

const oid = 'a'.repeat(64)
const commit = 'b'.repeat(40)
const read = (key: unknown, value: unknown) =>
  readCommitLine(Buffer.from(JSON.stringify({ key, value })))

describe('a line is read', () => {
  test.each([
    ['header', { summary: 's' }, { summary: 's', description: '', parentCommit: undefined }],
    [
      'header',
      { summary: 's', description: 'd\n', parentCommit: commit },
      { summary: 's', description: 'd\n', parentCommit: commit },
    ],
    [
      'header',
      { summary: 's', description: null, parentCommit: null },
      { summary: 's', description: '', parentCommit: undefined },
    ],
    [
      'file',
      { path: 'a', content: 'w6k=', encoding: 'base64' },
      { path: 'a', content: Buffer.from('é') },
    ],
    ['file', { path: 'a', content: 'é' }, { path: 'a', content: Buffer.from('é') }],
    [
      'file',
      { path: 'a', content: '', encoding: 'utf-8' },
      { path: 'a', content: Buffer.from('') },
    ],
    ['lfsFile', { path: 'a', algo: 'sha256', oid, size: 5 }, { path: 'a', oid, sizeBytes: 5 }],
    ['lfsFile', { path: 'a', algo: 'sha256', oid }, { path: 'a', oid, sizeBytes: undefined }],
    ['deletedFile', { path: '.gitmodules' }, { path: '.gitmodules' }],
    ['deletedFolder', { path: 'a/b/' }, { path: 'a/b' }],
    ['copyFile', { path: 'b', srcPath: 'a' }, { path: 'b', srcPath: 'a', srcRevision: undefined }],
    [
      'copyFile',
      { path: 'b', srcPath: 'a', srcRevision: 'main' },
      { path: 'b', srcPath: 'a', srcRevision: parseRevision('main') },
    ],
  ])('%s %j', (key, value, expected) => {
    expect(read(key, value)).toEqual({ kind: key, ...expected })
  })
})

describe('a line is refused', () => {
  const notJson = 'A line is no JSON object with the members key and value.'

  test.each([
    ['', notJson],
    ['{', notJson],
    ['null', notJson],
    ['[]', notJson],
    ['{"key":"file","value":{"path":[[1]]}}', notJson],
    ['{"key":"header","value":{"summary":"\xff"}}', notJson],
    [`{"key":"header","value":{${'"a":1,'.repeat(20)}"b":1}}`, notJson],
    ['{"key":"header","value":{},"x":1}', 'A line has the unknown member "x".'],
    ['{"key":"toString","value":{}}', '"toString" is no key of a commit\'s line.'],
    ['{"key":"file"}', 'The value of file must be an object.'],
    ['{"value":{}}', '"undefined" is no key of a commit\'s line.'],
  ])('%s', (line, detail) => {
    expect(readCommitLine(Buffer.from(line, 'latin1'))).toMatchObject({
      code: 'bad_request',
      detail,
    })
  })

  test.each([
    ['header', {}, 'summary must be a text of 1 to 1000 characters.'],
    ['header', { summary: ' \n' }, 'summary must be a text of 1 to 1000 characters.'],
    ['header', { summary: 'a\0' }, 'summary must be a text of 1 to 1000 characters.'],
    [
      'header',
      { summary: 'a', description: 1 },
      'description must be a text of at most 65536 characters.',
    ],
    [
      'header',
      { summary: 'a', parentCommit: 'main' },
      'parentCommit must be the full hash of a commit.',
    ],
    ['header', { summary: 'a', __proto: 1 }, 'header has the unknown member "__proto".'],
    ['file', { path: 'a', oldPath: 'b' }, 'file has the unknown member "oldPath".'],
    ['file', { path: 'a' }, 'content must be a text.'],
    ['file', { content: 'a' }, 'path must be a text.'],
    ['file', { path: 'a', content: 'a', encoding: 'hex' }, 'encoding must be "base64" or "utf-8".'],
    ['file', { path: 'a', content: 'w6l=', encoding: 'base64' }, 'content must be padded base64.'],
    [
      'file',
      { path: '.git/config', content: '' },
      'The path ".git/config" has a part that git takes for its own folder.',
    ],
    [
      'file',
      { path: '.gitmodules', content: '' },
      'The path ".gitmodules" names submodules, and these can only be pushed with git.',
    ],
    ['lfsFile', { path: 'a', algo: 'sha1', oid }, 'algo must be "sha256".'],
    [
      'lfsFile',
      { path: 'a', algo: 'sha256', oid: oid.toUpperCase() },
      'oid must be 64 lower-case hex digits.',
    ],
    ['lfsFile', { path: 'a', algo: 'sha256', oid, size: 1.5 }, 'size must be a number of bytes.'],
    ['deletedFolder', { path: '/' }, 'The path "" is empty.'],
    ['copyFile', { path: 'a' }, 'path must be a text.'],
    ['copyFile', { path: 'a', srcPath: 'b', srcRevision: 1 }, 'srcRevision must be a text.'],
  ])('%s %j', (key, value, detail) => {
    expect(read(key, value)).toMatchObject({ code: 'bad_request', detail })
  })

  test('with a file that git should not hold', () => {
    const content = Buffer.alloc(largestRegularBytes + 1).toString('base64')
    expect(read('file', { path: 'a', content, encoding: 'base64' })).toMatchObject({
      code: 'body_too_large',
      detail: 'The file "a" is larger than 10485760 bytes. Upload it as a large file.',
    })
  })
})

describe('whatever a line holds', () => {
  test('a file comes back as it was, and quotes and backslashes end no text early', () => {
    const content = fc.string({
      unit: fc.constantFrom('"', '\\', '{', '[', ',', 'é', '\n', '\u2028'),
    })
    fc.assert(
      fc.property(content, fc.boolean(), (text, isBase64) => {
        const value = isBase64
          ? { path: 'a', content: Buffer.from(text).toString('base64'), encoding: 'base64' }
          : { path: 'a', content: text }
        expect(read('file', value)).toEqual({ kind: 'file', path: 'a', content: Buffer.from(text) })
      }),
      { numRuns: rounds(300, 10_000) },
    )
  })

  test('nothing throws', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record({ path: fc.jsonValue(), content: fc.jsonValue() }),
    )
    const key = fc.oneof(
      fc.constantFrom('header', 'file', 'lfsFile', 'deletedFolder', 'copyFile'),
      fc.string(),
    )
    fc.assert(
      fc.property(key, value, fc.uint8Array(), (one, other, bytes) => {
        read(one, other)
        expect(isRefusal(readCommitLine(bytes))).toBe(true)
      }),
      { numRuns: rounds(300, 10_000) },
    )
  })

  test('base64 has one spelling for each content', () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.string({ unit: fc.constantFrom(...'Aa9+/=- \n'), maxLength: 9 }),
        (bytes, text) => {
          const written = Buffer.from(bytes).toString('base64')
          expect(decodeBase64(written)).toEqual(Buffer.from(bytes))
          const decoded = decodeBase64(text)
          if (decoded !== undefined) expect(Buffer.from(decoded).toString('base64')).toBe(text)
        },
      ),
      { numRuns: rounds(300, 10_000) },
    )
  })
})
