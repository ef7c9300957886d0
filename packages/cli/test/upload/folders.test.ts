import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { keystream } from '@latchkey/testing/keystream'
import { describe, expect, it } from 'vitest'
import { readManifest } from '../../src/manifest/read-manifest.ts'
import { writeManifest } from '../../src/manifest/write-manifest.ts'
import { storageWorld } from '../storage-world.ts'
import { folderOf } from './folder-of.ts'

const target = 'models/acme/bert@main'
const world = storageWorld()

const files = {
  'bert/weights.bin': keystream('weights', 700_000),
  'bert/config.json': '{}',
  'bert/a/empty': '',
  'bert/a/b/tokens': 'tokens',
}

describe.concurrent('a folder that is uploaded', () => {
  it('has a manifest beside it; the command that is printed brings every file back', async () => {
    const cwd = folderOf(world.home(), files)
    mkdirSync(join(cwd, 'bert/nothing'))
    symlinkSync('weights.bin', join(cwd, 'bert/link'))
    const { code, stdout, stderr } = await world.ask(['upload', target, 'bert'], { cwd })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `latchkey download ${target} --manifest bert.manifest.json -o bert-downloaded\n`,
    })
    expect(stderr.split('\n')).toEqual([
      'latchkey: not uploaded, because links are not followed: bert/link',
      expect.stringMatching(
        /^4 files, 700\.0 kB; 70\d\.\d kB were sent after compression; the names are in bert\.manifest\.json\. To download:$/,
      ),
      '',
    ])
    const { files: named, ...rest } = readManifest(join(cwd, 'bert.manifest.json'))
    expect(rest).toEqual({ repository: 'models/acme/bert', revision: 'main' })
    expect(named.map(({ path }) => path)).toEqual([
      ...['a/b/tokens', 'a/empty', 'config.json', 'weights.bin'],
    ])
    const [, ...words] = stdout.trim().split(' ')
    expect(await world.ask(words, { cwd })).toMatchObject({ code: 0 })
    expect(readdirSync(join(cwd, 'bert-downloaded'))).not.toContain('link')
    for (const { path, bytes } of named) {
      const content = readFileSync(join(cwd, 'bert-downloaded', path))
      expect(content.equals(readFileSync(join(cwd, 'bert', path)))).toBe(true)
      expect(content).toHaveLength(bytes)
    }
  })

  it('beside files is told as JSON, with the names in the manifest', async () => {
    const cwd = folderOf(world.home(), { 'a/1.txt': 'one', 'x/b.txt': 'two' })
    const args = ['upload', target, 'a/', 'x/b.txt', '--manifest', 'm.json', '--json']
    const { code, stdout, stderr } = await world.ask(args, { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    const counts = { uploadedBytes: expect.any(Number), deduplicatedBytes: 0 }
    expect(JSON.parse(stdout)).toEqual({
      manifest: 'm.json',
      files: [
        { file: 'a/1.txt', path: '1.txt', hash, bytes: 3, ...counts },
        { file: 'x/b.txt', path: 'b.txt', hash, bytes: 3, ...counts },
      ],
    })
    expect(existsSync(join(cwd, 'a.manifest.json'))).toBe(false)
    expect(readManifest(join(cwd, 'm.json')).files).toHaveLength(2)
  })

  it('again replaces its manifest, and a folder of many small files is one upload', async () => {
    const many = Array.from({ length: 300 }, (_, index) => [`f/${index % 7}/${index}`, `${index}`])
    const cwd = folderOf(world.home(), Object.fromEntries(many))
    const upload = () => world.ask(['upload', 'models/acme/other', 'f', '--json'], { cwd })
    const [first, second] = [await upload(), await upload()]
    expect([first.code, second.code]).toEqual([0, 0])
    const hashes = ({ stdout }: { stdout: string }) =>
      JSON.parse(stdout).files.map(({ hash }: { hash: string }) => hash)
    expect(new Set(hashes(first)).size).toBe(300)
    expect(hashes(second)).toEqual(hashes(first))
    expect(readdirSync(cwd).toSorted()).toEqual(['f', 'f.manifest.json'])
  })
})

describe.concurrent('a folder that is not uploaded', () => {
  it('because its manifest would replace that of another target is told before anybody is asked', async () => {
    const cwd = folderOf(world.home(), { 'bert/a': 'a' })
    const other = { repository: 'models/acme/other', revision: 'main', files: [] }
    writeManifest(join(cwd, 'bert.manifest.json'), other)
    const before = readFileSync(join(cwd, 'bert.manifest.json'), 'utf8')
    const { code, stdout, stderr } = await world.ask(['upload', target, 'bert'], { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      'latchkey: "bert.manifest.json" is the manifest of models/acme/other@main, and is not overwritten; remove it, or name another file with --manifest\n',
    )
    expect(readFileSync(join(cwd, 'bert.manifest.json'), 'utf8')).toBe(before)
  })

  it('because the hub token may only read has no manifest', async () => {
    const cwd = folderOf(world.home(), { 'bert/a': 'a' })
    const { code } = await world.ask(['upload', target, 'bert'], { cwd, token: 'reader' })
    expect(code).toBe(1)
    expect(readdirSync(cwd)).toEqual(['bert'])
  })

  it('because a manifest cannot hold a name is told with the name', async () => {
    const cwd = folderOf(world.home(), { 'bert/a': 'a' })
    writeFileSync(join(cwd, 'bert/back\\slash'), '')
    const { code, stderr } = await world.ask(['upload', target, 'bert'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'latchkey: "bert/back\\slash" cannot be in a manifest: its path holds a backslash, which some systems read as /; rename it\n',
    })
  })
})
