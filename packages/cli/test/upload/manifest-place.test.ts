import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeManifest } from '../../src/manifest/write-manifest.ts'
import { collectSources } from '../../src/upload/collect-sources.ts'
import { manifestPlace } from '../../src/upload/manifest-place.ts'
import { temporaryDirectory } from '../run-latchkey.ts'
import { folderOf } from './folder-of.ts'

const target = { repo: 'models/acme/bert', revision: 'main' }
const manifest = { repository: 'models/acme/bert', revision: 'main', files: [] }
const before = process.cwd()

beforeEach(() => {
  process.chdir(folderOf(temporaryDirectory(), { 'bert/a': 'a', 'other/b': 'b', 'c.txt': 'c' }))
})
afterEach(() => process.chdir(before))

const placeOf = (given: string | undefined, ...names: string[]) =>
  manifestPlace(given, collectSources(names), target)

describe('a manifest', () => {
  it('of a folder has its name, in the current directory', () => {
    expect(placeOf(undefined, 'bert')).toBe('bert.manifest.json')
    expect(placeOf(undefined, './bert/', 'c.txt')).toBe('bert.manifest.json')
    expect(placeOf(undefined, join(process.cwd(), 'bert'))).toBe('bert.manifest.json')
  })

  it('of files is written where it is asked for', () => {
    expect(placeOf(undefined, 'c.txt')).toBeUndefined()
    expect(placeOf('m.json', 'c.txt')).toBe('m.json')
  })

  it('of several folders must be named', () => {
    expect(() => placeOf(undefined, 'bert', 'other')).toThrow(
      '--manifest: name the file for the manifest',
    )
    expect(placeOf('m.json', 'bert', 'other')).toBe('m.json')
  })

  it('replaces an older one of the same target', () => {
    writeManifest('bert.manifest.json', manifest)
    expect(placeOf(undefined, 'bert')).toBe('bert.manifest.json')
  })

  it.each([
    [{ ...manifest, repository: 'models/acme/other' }, 'models/acme/other@main'],
    [{ ...manifest, revision: 'next' }, 'models/acme/bert@next'],
  ])('does not replace one of another target', (there, told) => {
    writeManifest('bert.manifest.json', there)
    expect(() => placeOf(undefined, 'bert')).toThrow(
      `"bert.manifest.json" is the manifest of ${told}, and is not overwritten; remove it, or name another file with --manifest`,
    )
  })

  it('does not replace what is no manifest', () => {
    expect(() => placeOf('c.txt', 'bert')).toThrow('"c.txt" exists and is not a manifest')
    expect(readFileSync('c.txt', 'utf8')).toBe('c')
  })

  it('is never inside what is uploaded, whatever links lead there', () => {
    symlinkSync('bert', 'link')
    writeManifest('bert/inner.json', manifest)
    symlinkSync('bert/inner.json', 'm.json')
    const refusal = /would be inside "bert", which is uploaded; choose another file: --manifest /
    expect(() => placeOf('bert/m.json', 'bert')).toThrow(refusal)
    expect(() => placeOf('link/m.json', 'bert')).toThrow(refusal)
    expect(() => placeOf('m.json', 'bert')).toThrow(refusal)
    expect(() => placeOf('other/../bert/m.json', 'bert')).toThrow(refusal)
    process.chdir('bert')
    expect(() => placeOf(undefined, '.')).toThrow("--manifest '../bert.manifest.json'")
    expect(() => placeOf(undefined, '..')).toThrow('would be inside ".."')
    expect(placeOf('../bert.manifest.json', '.')).toBe('../bert.manifest.json')
  })

  it('is none of the files that are uploaded', () => {
    writeManifest('m.json', manifest)
    expect(() => placeOf('m.json', 'm.json')).toThrow('is one of the files that are uploaded')
  })

  it('that cannot be written is told before anything is sent', () => {
    writeFileSync('plain', '')
    expect(() => placeOf('none/m.json', 'bert')).toThrow('its directory does not exist')
    expect(() => placeOf('plain/m.json', 'bert')).toThrow('is a file where a directory is needed')
    expect(() => placeOf('other', 'bert')).toThrow('it is a directory')
  })
})
