import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { latchkey } from '@latchkey/testing/machine/command'
import { parseHash } from '@latchkey/xet'
import { describe, expect, it } from 'vitest'
import { partialName } from '../../src/partial/records.ts'
import { checkNames, collectSources } from '../../src/upload/collect-sources.ts'
import { leftOutLines } from '../../src/upload/result-words.ts'
import { temporaryDirectory } from '../run-latchkey.ts'
import { folderOf } from './folder-of.ts'

const pathsOf = (...given: string[]) => collectSources(given).sources.map(({ path }) => path)

describe('what is not uploaded', () => {
  it('is a folder without a file', () => {
    const folder = temporaryDirectory()
    mkdirSync(join(folder, 'empty/deeper'), { recursive: true })
    expect(() => collectSources([folder])).toThrow('has no file to upload')
  })

  it('is what a link inside a folder leads to, or no regular file; each is named in one line', () => {
    const folder = folderOf(temporaryDirectory(), { a: 'a', 'b/c': 'c' })
    const secret = folderOf(temporaryDirectory(), { 'key.pem': 'secret' })
    symlinkSync(join(secret, 'key.pem'), join(folder, 'link'))
    symlinkSync(secret, join(folder, 'b/folder-link'))
    symlinkSync('nowhere', join(folder, 'broken'))
    execFileSync('mkfifo', [join(folder, 'pipe')])
    const collected = collectSources([folder])
    expect(collected.sources.map(({ path }) => path)).toEqual(['a', 'b/c'])
    const links = collected.leftOut.flatMap(({ kind, file }) => (kind === 'link' ? [file] : []))
    const names = ['b/folder-link', 'broken', 'link'].map((name) => join(folder, name))
    expect(links.toSorted()).toEqual(names)
    expect(leftOutLines(collected.leftOut)).toEqual([
      `not uploaded, because links are not followed: ${links.join(', ')}`,
      `not uploaded, because these are not regular files: ${join(folder, 'pipe')}`,
    ])
  })

  it("is git's own folder, or what git would take for it", () => {
    const folder = folderOf(temporaryDirectory(), {
      ...{ a: 'a', '.gitignore': '', '.git/config': 'secret', 'b/.GIT': 'gitdir: elsewhere' },
    })
    const { sources, leftOut } = collectSources([folder])
    expect(sources.map(({ path }) => path)).toEqual(['.gitignore', 'a'])
    expect(leftOutLines(leftOut)).toEqual([
      `not uploaded, because git uses these names for its own folder: ${join(folder, '.git')}, ${join(folder, 'b/.GIT')}`,
    ])
  })

  it('is what a download that broke off has left there', () => {
    const hash = parseHash('0123456789abcdef'.repeat(4)) ?? expect.unreachable()
    const [short, long] = [partialName('a.bin', hash), partialName(`${'n'.repeat(250)}`, hash)]
    const others = ['.a.partial', '.a.0123456789ABCDEF.partial', 'a.0123456789abcdef.partial']
    const names = [short, `${short}.lock`, long, ...others, 'b/.x.0123456789abcdef.partial/y']
    const files = Object.fromEntries(names.map((name) => [name, '']))
    const folder = folderOf(temporaryDirectory(), files)
    const { sources, leftOut } = collectSources([folder])
    expect(sources.map(({ path }) => path)).toEqual([
      ...others.toSorted(),
      'b/.x.0123456789abcdef.partial/y',
    ])
    const partial = [short, `${short}.lock`, long].map((name) => join(folder, name))
    expect(leftOut.map(({ file }) => file).toSorted()).toEqual(partial.toSorted())
    expect(leftOutLines(leftOut)).toEqual([
      expect.stringContaining('not uploaded, because these are interrupted downloads: '),
    ])
  })

  it('is named up to twenty times', () => {
    const kind = 'link' as const
    const links = Array.from({ length: 23 }, (_, index) => ({ kind, file: `l${index}` }))
    expect(leftOutLines(links)).toEqual([expect.stringMatching(/: l0, .*, l19 and 3 more$/)])
  })

  it('is a folder with one file that this user may not read', async () => {
    const folder = folderOf(temporaryDirectory(), { 'x/a': 'a', 'x/b': 'b' })
    chmodSync(join(folder, 'x/b'), 0)
    const args = ['upload', 'models/acme/bert', 'x']
    const { code, stderr } = await latchkey(args, { cwd: folder, isBoundByModes: true })
    const line = 'latchkey: "x/b" cannot be read: this user may not read it\n'
    expect({ code, stderr }).toEqual({ code: 3, stderr: line })
  })

  it('is a folder with a name that is no text', () => {
    const folder = folderOf(temporaryDirectory(), { a: 'a' })
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/b`), Buffer.of(0xff)]), 'b')
    expect(() => collectSources([folder])).toThrow('is not valid Unicode; rename it')
  })

  it('is what a manifest cannot hold', () => {
    const folder = folderOf(temporaryDirectory(), { 'a/x': '', 'b/x': '', 'c/x/y': '', 'd\\e': '' })
    const check = (...names: string[]) => {
      const { sources } = collectSources(
        names.map((name) => (name === '-' ? name : join(folder, name))),
      )
      return () => checkNames(sources)
    }
    expect(check('a', 'b')).toThrow(
      `"x" is there twice in the manifest ("${join(folder, 'a/x')}", "${join(folder, 'b/x')}")`,
    )
    expect(check('a', 'c')).toThrow('"x" is a file and a folder in the manifest')
    expect(check('d\\e')).toThrow('its path holds a backslash')
    expect(check('a', '-')).toThrow('- (standard input) cannot be used with --manifest')
    expect(check('a', 'c/x')).not.toThrow()
  })
})

describe('what is uploaded', () => {
  it('has its name below the folder that was given, in the order of the bytes', () => {
    const folder = folderOf(temporaryDirectory(), {
      ...{ 'b/1': '', 'b.x': '', B: '', '.hidden': '', 'a/b/c': '', '\u{1f511}': '', '\uffee': '' },
    })
    const expected = ['.hidden', 'B', 'a/b/c', 'b.x', 'b/1', '\uffee', '\u{1f511}']
    expect(pathsOf(folder)).toEqual(expected)
    expect(pathsOf(`${folder}/`)).toEqual(expected)
  })

  it('has the last part of its name where the file itself was given', () => {
    const folder = folderOf(temporaryDirectory(), { 'a/1.txt': '', 'x/b.txt': '' })
    expect(pathsOf(join(folder, 'a/'), join(folder, 'x/b.txt'))).toEqual(['1.txt', 'b.txt'])
  })

  it('may be given by a link, which was meant', async () => {
    const folder = folderOf(temporaryDirectory(), { 'real/x': 'content' })
    symlinkSync('real', join(folder, 'link'))
    symlinkSync('real/x', join(folder, 'file'))
    expect(pathsOf(join(folder, 'link'), join(folder, 'file'))).toEqual(['x', 'file'])
    const [, file] = collectSources([join(folder, 'link'), join(folder, 'file')]).sources
    expect(file && (await text(file.open()))).toBe('content')
  })
})
