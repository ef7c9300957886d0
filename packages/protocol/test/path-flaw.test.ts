import { join, posix, resolve, sep, win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pathFlaw, treeFlaw } from '../src/index.ts'

/** Made of what tricks are made of. */
const trick = fc
  .array(fc.constantFrom('.', '..', '/', '\\', 'a', 'C:', '\0', '\n', 'ä', '\u{1f511}', '\ud800'))
  .map((parts) => parts.join(''))

describe('a path that is refused', () => {
  it.each([
    ['', 'is empty'],
    ['/etc/passwd', 'is absolute'],
    ['//server/share', 'is absolute'],
    ['../x', 'has . or .. as a part'],
    ['a/../../x', 'has . or .. as a part'],
    ['a/..', 'has . or .. as a part'],
    ['./x', 'has . or .. as a part'],
    ['.', 'has . or .. as a part'],
    ['a//b', 'has an empty part'],
    ['a/', 'has an empty part'],
    ['a\\..\\b', 'holds a backslash, which some systems read as /'],
    ['C:/x', 'begins with a drive letter'],
    ['c:x', 'begins with a drive letter'],
    ['a\0b', 'holds a control character'],
    ['a\nb', 'holds a control character'],
    ['a\u001b[2Jb', 'holds a control character'],
    ['a\u0085b', 'holds a control character'],
    ['a\ud800', 'is not valid Unicode'],
    ...[
      ...['.git', '.git/config', 'a/.GIT/hooks/post-checkout', '.Git. . /config', 'git~1/config'],
      ...['.git::$INDEX_ALLOCATION/config', '.g\u200cit/config', 'a/GIT~1'],
    ].map((path) => [path, 'has a part that git takes for its own folder']),
    ['ä'.repeat(2049), 'is longer than 4096 bytes'],
    [`${'a/'.repeat(100)}a`, 'has more than 100 parts'],
  ])('%j %s', (path, flaw) => {
    expect(pathFlaw(path)).toBe(flaw)
  })
})

describe('a path that is taken', () => {
  it.each([
    ...['a', 'a/b.bin', '...', '.hidden', 'a b', 'ab:c', 'ä'.repeat(2048), '-o', 'x..y/..z'],
    ...['.gitignore', '.github/x', 'git', 'a.git', 'a.git/x', 'git~2', '.gi t', 'CON', 'a.', 'a '],
    `${'a/'.repeat(99)}a`,
  ])('%j', (path) => {
    expect(pathFlaw(path)).toBeUndefined()
  })

  it('is below the folder it is joined to, by the rules of every system', () => {
    fc.assert(
      fc.property(trick, (path) => {
        fc.pre(pathFlaw(path) === undefined)
        expect(resolve('/folder', path)).toBe(join('/folder', path))
        expect(posix.relative('/folder', posix.resolve('/folder', path))).toBe(path)
        const onWindows = win32.relative('C:\\folder', win32.resolve('C:\\folder', path))
        expect(onWindows.split(win32.sep).join('/')).toBe(path)
        expect(path.split(sep)).not.toContain('..')
      }),
      { numRuns: 2000 },
    )
  })
})

describe('paths beside each other', () => {
  it('that are the same are refused', () => {
    expect(treeFlaw(['a', 'b', 'a'])).toEqual({ path: 'a', flaw: 'is there twice' })
  })

  it('of which one is a folder of another are refused, whatever stands between them', () => {
    const flaw = { path: 'a/b', flaw: 'is a file and a folder' }
    expect(treeFlaw(['a/b', 'a/b.c', 'a/b/c/d'])).toEqual(flaw)
    expect(treeFlaw(['a/b/c/d', 'a/b'])).toEqual(flaw)
  })

  it('are refused exactly where one is the other, or one of the folders above it', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'a.', 'a b', '\u{1f511}', '\uffee'), {
        minLength: 1,
        maxLength: 4,
      })
      .map((parts) => parts.join('/'))
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), (paths) => {
        const clash = paths.some((one, index) =>
          paths.some((other, at) => at !== index && (other === one || other.startsWith(`${one}/`))),
        )
        expect(treeFlaw(paths) !== undefined).toBe(clash)
      }),
      { numRuns: 1000 },
    )
  })

  it('are taken where one only begins like another', () => {
    expect(treeFlaw(['a', 'ab', 'a.b', 'b/a', 'b/ab'])).toBeUndefined()
  })
})
