import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathFlaw, treeFlaw } from '@latchkey/protocol'
import { anyText } from '@latchkey/testing/any-text'
import { parseHash } from '@latchkey/xet'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Manifest, ManifestFile } from '../../src/manifest/manifest.ts'
import { readManifest } from '../../src/manifest/read-manifest.ts'
import { manifestText, writeManifest } from '../../src/manifest/write-manifest.ts'
import { temporaryDirectory } from '../run-latchkey.ts'

const hash = parseHash('a'.repeat(64)) ?? expect.unreachable()
const one = { path: 'a/b.bin', hash, bytes: 123 }
const whole: Manifest = { repository: 'models/acme/bert', revision: 'main', files: [one] }

function written(text: string): string {
  const file = join(temporaryDirectory(), 'm.json')
  writeFileSync(file, text)
  return file
}

const read = (value: unknown) => readManifest(written(JSON.stringify(value)))

describe('what is no manifest is refused with its place', () => {
  const withFile = (more: object) => ({ ...whole, files: [one, { ...one, path: 'x', ...more }] })

  it.each<[unknown, string]>([
    [[], 'repository must be a repository such as "models/acme/bert"'],
    [null, 'repository must be'],
    [{ ...whole, repository: 'acme/bert' }, 'repository must be'],
    [{ ...whole, revision: '' }, 'revision must be a text'],
    [{ ...whole, files: {} }, 'files must be a list'],
    [{ ...whole, files: [null] }, 'files[0].path must be a text'],
    [withFile({ path: '../x' }), 'files[1].path "../x" has . or .. as a part'],
    [withFile({ path: '.git/config' }), 'files[1].path ".git/config" has a part that git takes'],
    [withFile({ path: 'a\u001b[2J' }), 'files[1].path "a\\x1b[2J" holds a control character'],
    [withFile({ hash: 'A'.repeat(64) }), 'files[1].hash must be 64 hexadecimal digits'],
    [withFile({ hash: [hash] }), 'files[1].hash must be 64 hexadecimal digits'],
    [withFile({ bytes: -1 }), 'files[1].bytes must be a whole number, 0 or more'],
    [withFile({ bytes: 1.5 }), 'files[1].bytes must be'],
    [withFile({ bytes: 2 ** 60 }), 'files[1].bytes must be'],
    [withFile({ bytes: '5' }), 'files[1].bytes must be'],
    [withFile({ path: one.path }), '"a/b.bin" is there twice'],
    [withFile({ path: 'a' }), '"a" is a file and a folder'],
  ])('%j', (value, flaw) => {
    expect(() => read(value)).toThrow(`is not a manifest: ${flaw}`)
  })

  it('where a member is given twice, or the text is no JSON', () => {
    const twice = manifestText(whole).replace('"bytes"', '"path":"/etc/passwd","bytes"')
    expect(() => readManifest(written(twice))).toThrow('files[0].path is given twice: keep one')
    expect(() => readManifest(written('{'))).toThrow('This is not JSON: line 1, column 2')
  })

  it('where it is missing, a folder or no file at all', () => {
    const folder = temporaryDirectory()
    expect(() => readManifest(join(folder, 'none'))).toThrow('there is no such file')
    expect(() => readManifest(folder)).toThrow('it is a directory')
    expect(() => readManifest('/dev/null')).toThrow('it is not a regular file')
  })
})

describe('a manifest', () => {
  const path = anyText({ minLength: 1, maxLength: 12 })
  const file: fc.Arbitrary<ManifestFile> = fc.record({
    path: path.filter((text) => pathFlaw(text) === undefined),
    hash: fc.constant(hash),
    bytes: fc.maxSafeNat(),
  })
  const files = fc
    .array(file)
    .filter((list) => treeFlaw(list.map((item) => item.path)) === undefined)

  it('comes back as it was written, sorted by the bytes of its paths', () => {
    const place = join(temporaryDirectory(), 'm.json')
    fc.assert(
      fc.property(files, (list) => {
        writeManifest(place, { ...whole, files: list })
        const back = readManifest(place)
        const sorted = list.toSorted((a, b) =>
          Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)),
        )
        expect(back).toEqual({ ...whole, files: sorted })
      }),
      { numRuns: 200 },
    )
  })

  it('is the same text in whichever order the files come', () => {
    const shuffled = files.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
      ),
    )
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const text = manifestText({ ...whole, files: list })
        expect(manifestText({ ...whole, files: other })).toBe(text)
        expect(JSON.parse(text).files).toHaveLength(list.length)
      }),
    )
  })

  it('no text at all is read as one with a path that leads out of a folder', () => {
    const value = fc.record({
      repository: fc.constant('models/acme/bert'),
      revision: fc.constant('main'),
      files: fc.array(
        fc.record({
          path: fc.array(fc.constantFrom('..', '.', '/', 'a', '\\')).map((parts) => parts.join('')),
          hash: fc.constant(hash),
          bytes: fc.nat(),
        }),
      ),
    })
    fc.assert(
      fc.property(value, (given) => {
        const place = written(JSON.stringify(given))
        let paths: readonly string[] = []
        try {
          paths = readManifest(place).files.map((item) => item.path)
        } catch {}
        expect(paths.filter((item) => pathFlaw(item) !== undefined)).toEqual([])
      }),
    )
  })

  it('may have members that this program does not know, and loses them', () => {
    const more = { ...whole, made: 'later', files: [{ ...one, mode: 0o777 }] }
    expect(read(more)).toEqual(whole)
  })
})

describe('writing a manifest', () => {
  it('replaces the old one, and leaves nothing beside it', () => {
    const file = written('old')
    writeManifest(file, whole)
    expect(readFileSync(file, 'utf8')).toBe(
      `{\n  "repository": "models/acme/bert",\n  "revision": "main",\n  "files": [\n    {"path":"a/b.bin","hash":"${hash}","bytes":123}\n  ]\n}\n`,
    )
    expect(readdirSync(join(file, '..'))).toEqual(['m.json'])
  })

  it('keeps a link, and replaces the file that it names', () => {
    const file = written('old')
    const link = join(file, '../link')
    symlinkSync('m.json', link)
    writeManifest(link, whole)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readManifest(file)).toEqual(whole)
  })

  it('keeps the mode of the old one; a new one is for its owner alone', () => {
    const file = written('old')
    const modeOf = (path: string) => statSync(path).mode & 0o777
    for (const mode of [0o644, 0o640]) {
      chmodSync(file, mode)
      writeManifest(file, whole)
      expect(modeOf(file)).toBe(mode)
    }
    const other = join(file, '../new.json')
    writeManifest(other, whole)
    expect(modeOf(other)).toBe(0o600)
  })

  it('is refused where a folder, a device or no folder is', () => {
    const folder = temporaryDirectory()
    mkdirSync(join(folder, 'is-folder'))
    const write = (name: string) => () => writeManifest(name, whole)
    expect(write(join(folder, 'is-folder'))).toThrow('it is a directory')
    expect(write('/dev/null')).toThrow('it is not a regular file')
    expect(write(join(folder, 'none/m.json'))).toThrow('its directory does not exist')
    expect(write(join(folder, 'm/'))).toThrow('it names no file')
    expect(readdirSync(folder)).toEqual(['is-folder'])
  })
})
