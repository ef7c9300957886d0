/** Downloads by the names of a manifest: below a folder and nowhere else, and nothing twice. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseHash } from '@latchkey/xet'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Manifest } from '../src/manifest/manifest.ts'
import { writeManifest } from '../src/manifest/write-manifest.ts'
import { latchkeyHere } from './run-here.ts'
import { storageWorld } from './storage-world.ts'

const target = 'models/acme/bert@main'
const world = storageWorld()
const contents: Readonly<Record<string, string>> = {
  'README.md': 'read me',
  'data/one.bin': 'one'.repeat(500_000),
  'data/two.bin': 'two',
  'data/deep/three.bin': '',
}
const names = Object.keys(contents)
let manifest: Manifest

const here = (cwd: string, ...words: readonly string[]) =>
  latchkeyHere(words, { cwd, env: world.environment() })

const download = (cwd: string, ...words: readonly string[]) =>
  here(cwd, 'download', target, ...words, '--manifest', 'm.json')

beforeAll(async () => {
  const cwd = world.home()
  const flat = names.map((_, index) => `file-${index}`)
  for (const [index, name] of names.entries()) {
    writeFileSync(join(cwd, flat[index] ?? ''), contents[name] ?? '')
  }
  const { stdout } = await here(cwd, 'upload', target, ...flat, '--json')
  const hashes: { hash: string }[] = JSON.parse(stdout).files
  const files = names.map((path, index) => {
    const hash = parseHash(hashes[index]?.hash ?? '')
    if (hash === undefined) throw new Error('nothing was uploaded')
    return { path, hash, bytes: contents[path]?.length ?? 0 }
  })
  manifest = { repository: 'models/acme/bert', revision: 'main', files }
})

function homeWith(changed: Partial<Manifest> = {}): string {
  const cwd = world.home()
  writeManifest(join(cwd, 'm.json'), { ...manifest, ...changed })
  return cwd
}

const readBack = (folder: string, ...paths: readonly string[]) =>
  paths.map((path) => readFileSync(join(folder, path), 'utf8') === contents[path])

describe('by a manifest', () => {
  it('everything comes, and the second time nothing is fetched', async () => {
    const cwd = homeWith()
    expect(await download(cwd, '-o', 'all')).toEqual({
      ...{ code: 0, stdout: '', stderr: '4 downloaded, 0 already present\n' },
    })
    expect(readBack(join(cwd, 'all'), ...names)).toEqual([true, true, true, true])
    writeFileSync(join(cwd, 'all/data/two.bin'), 'tw0')
    const again = await download(cwd, '-o', 'all')
    expect(again.stderr).toBe('1 downloaded, 3 already present\n')
    expect(readBack(join(cwd, 'all'), ...names)).toEqual([true, true, true, true])
    expect(readdirSync(join(cwd, 'all/data')).sort()).toEqual(['deep', 'one.bin', 'two.bin'])
  })

  it('a name or a folder comes to where it is called so, in the folder one is in', async () => {
    const cwd = homeWith()
    expect((await download(cwd, 'data/', 'README.md')).code).toBe(0)
    expect(readBack(cwd, ...names)).toEqual([true, true, true, true])
    const other = homeWith()
    expect((await download(other, 'data/deep')).code).toBe(0)
    expect(readdirSync(other).sort()).toEqual(['data', 'm.json'])
    expect(readdirSync(join(other, 'data'))).toEqual(['deep'])
  })

  it('one file comes to the file after -o, to a folder after -o, or to standard output', async () => {
    const cwd = homeWith()
    mkdirSync(join(cwd, 'folder'))
    await download(cwd, 'data/one.bin', '-o', 'renamed')
    expect(readFileSync(join(cwd, 'renamed'), 'utf8')).toBe(contents['data/one.bin'])
    await download(cwd, 'README.md', '-o', 'folder')
    expect(readFileSync(join(cwd, 'folder/README.md'), 'utf8')).toBe('read me')
    await download(cwd, 'README.md', '-o', 'new/')
    expect(readFileSync(join(cwd, 'new/README.md'), 'utf8')).toBe('read me')
  })
})

describe('what cannot be is told before anything is fetched', () => {
  it.each([
    [
      'a link in place of a file',
      (cwd: string) => symlinkSync('/dev/null', join(cwd, 'README.md')),
      'README.md',
    ],
    ['a link in place of a folder', (cwd: string) => symlinkSync('.', join(cwd, 'data')), 'data'],
  ])('%s', async (_, put, named) => {
    const cwd = homeWith()
    put(cwd)
    const before = readdirSync(cwd)
    const { code, stderr } = await download(cwd)
    expect([code, stderr]).toEqual([
      1,
      `latchkey: "${named}" is a symbolic link, and latchkey does not write through links; remove it, or name another folder with -o\n`,
    ])
    expect(readdirSync(cwd)).toEqual(before)
  })

  it('a folder in place of a file, and the reverse', async () => {
    const one = homeWith()
    mkdirSync(join(one, 'README.md'))
    expect((await download(one)).stderr).toContain('"README.md" is not a file, as the manifest has')
    const other = homeWith()
    writeFileSync(join(other, 'data'), 'a file')
    expect((await download(other)).stderr).toContain('"data" is not a folder, as the manifest has')
    expect(existsSync(join(other, 'README.md'))).toBe(false)
  })

  it('a name that is not in the manifest', async () => {
    const { code, stderr } = await download(homeWith(), 'README')
    expect([code, stderr]).toEqual([
      1,
      'latchkey: "README" is not in the manifest "m.json", which has 4 files, such as "README.md"; leave the name out to download all of them\n',
    ])
  })

  it('a manifest of another repository', async () => {
    const { code, stderr } = await download(homeWith({ repository: 'models/acme/other' }))
    expect(code).toBe(1)
    expect(stderr).toContain('is of models/acme/other; name that instead of models/acme/bert')
  })

  it('several files to standard output, or several hashes', async () => {
    const cwd = homeWith()
    expect(await download(cwd, '-o', '-')).toMatchObject({ code: 2, stdout: '' })
    const hashes = manifest.files.map(({ hash }) => hash)
    const { code, stderr } = await here(cwd, 'download', target, ...hashes)
    expect([code, stderr]).toEqual([
      2,
      'latchkey: one hash at a time; several files have their names in a manifest: --manifest\n',
    ])
    expect((await here(cwd, 'download', target)).stderr).toContain('with --manifest')
  })
})

it('a file that is not as long as its manifest says is not downloaded', async () => {
  const [first] = manifest.files
  if (first === undefined) throw new Error('no file')
  const cwd = homeWith({ files: [{ ...first, bytes: 8 }] })
  const { code, stderr } = await download(cwd)
  expect(code).toBe(1)
  expect(stderr).toContain('has 8 bytes, and the storage says 7')
  expect(readdirSync(cwd)).toEqual(['m.json'])
})

it('what is not there ends the download, and says which', async () => {
  const [first] = manifest.files
  const missing = parseHash('a'.repeat(64))
  if (first === undefined || missing === undefined) throw new Error('no file')
  const cwd = homeWith({ files: [first, { path: 'z', hash: missing, bytes: 1 }] })
  const { code, stderr } = await download(cwd)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^latchkey: "z": the storage responded with 404 to GET [^\n]+: There is no file /,
  )
  expect(readBack(cwd, 'README.md')).toEqual([true])
})
