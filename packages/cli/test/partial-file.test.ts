import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { mountSmallDisk } from '@latchkey/testing/machine/small-disk'
import { hashData, parseHash } from '@latchkey/xet'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPartial, type WantedFile } from '../src/partial/partial-file.ts'
import { partialName } from '../src/partial/records.ts'
import { temporaryDirectory } from './run-latchkey.ts'

const hash = hashOf('ab')
const runName = `${'c'.repeat(64)} 0 9 0 999`

function hashOf(digits: string) {
  const parsed = parseHash(digits.repeat(32))
  if (parsed === undefined) throw new Error('no hash')
  return parsed
}

function wantedIn(folder: string): WantedFile {
  return { file: join(folder, 'file'), mode: 0o600, hash, bytes: 10 }
}

const chunk = (text: string, ...positions: number[]) => ({
  ...{ bytes: Buffer.from(text), positions, packedLength: text.length + 8 },
  hash: Buffer.alloc(32, text),
})

/** A download that was broken off after five bytes. */
async function brokenOff(wanted: WantedFile) {
  const partial = await openPartial(wanted)
  await partial.target.put({ runName, first: 0, chunks: [chunk('one', 0), chunk('23', 8)] })
  await partial.close()
  return partialName(wanted.file, hash)
}

describe('where a partial file would be', () => {
  it.each([
    ['a link', (path: string) => symlinkSync('victim', path)],
    ['a link to nothing', (path: string) => symlinkSync('nowhere', path)],
    ['a second name of another file', (path: string) => linkSync(join(path, '../empty'), path)],
    ['a file of somebody', (path: string) => writeFileSync(path, 'not ours, and longer')],
    ['a short file of somebody', (path: string) => writeFileSync(path, 'short')],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('%s stays as it is', async (_, put) => {
    const folder = temporaryDirectory()
    writeFileSync(join(folder, 'victim'), 'precious')
    writeFileSync(join(folder, 'empty'), '')
    const wanted = wantedIn(folder)
    put(partialName(wanted.file, hash))
    const before = readdirSync(folder)
    await expect(openPartial(wanted)).rejects.toThrow(/cannot be written|move it away, or name/)
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious')
    expect(readFileSync(join(folder, 'empty'), 'utf8')).toBe('')
    expect(readdirSync(folder)).toEqual(before)
  })

  it('the partial file of another content is another one', () => {
    expect(partialName('a/file', hash)).not.toBe(partialName('a/file', hashOf('cd')))
    const long = 'n'.repeat(250)
    expect(partialName(`a/${long}1`, hash)).not.toBe(partialName(`a/${long}2`, hash))
    expect(Buffer.byteLength(partialName('ü'.repeat(127), hash))).toBeLessThan(250)
  })
})

describe('a partial file', () => {
  it('is for one download at a time, and says so', async () => {
    const wanted = wantedIn(temporaryDirectory())
    const first = await openPartial(wanted)
    await expect(openPartial(wanted)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('is being downloaded by another process; wait for it'),
    })
    await first.close()
    await (await openPartial(wanted)).close()
  })

  it('has the mode of the file that it becomes, and leaves nothing behind', async () => {
    const folder = temporaryDirectory()
    const wanted = { ...wantedIn(folder), mode: 0o640 }
    const partial = await openPartial(wanted)
    expect(statSync(partialName(wanted.file, hash)).mode & 0o777).toBe(0o640)
    await partial.target.put({ runName, first: 0, chunks: [chunk('01234', 0, 5)] })
    await partial.keep()
    await partial.close()
    expect(readFileSync(wanted.file, 'utf8')).toBe('0123401234')
    expect(statSync(wanted.file).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it('tells the next download what is in it', async () => {
    const wanted = wantedIn(temporaryDirectory())
    await brokenOff(wanted)
    const { target, close } = await openPartial(wanted)
    expect(target.earlier?.chunksOf(runName)).toEqual([
      { hash: Buffer.alloc(32, 'one'), length: 3, packedLength: 11 },
      { hash: Buffer.alloc(32, '23'), length: 2, packedLength: 10 },
    ])
    expect(Buffer.from((await target.earlier?.read(8, 2)) ?? '').toString()).toBe('23')
    expect(target.earlier?.chunksOf('another')).toEqual([])
    await close()
  })

  it('whose last record is torn has those before it, and takes more', async () => {
    const wanted = wantedIn(temporaryDirectory())
    const path = await brokenOff(wanted)
    const again = await openPartial(wanted)
    await again.target.put({ runName, first: 2, chunks: [chunk('torn', 4)] })
    await again.close()
    truncateSync(path, statSync(path).size - 5)
    const third = await openPartial(wanted)
    expect(third.target.earlier?.chunksOf(runName)).toHaveLength(2)
    await third.target.put({ runName, first: 1, chunks: [chunk('new', 7)] })
    await third.close()
    const last = await openPartial(wanted)
    expect(last.target.earlier?.chunksOf(runName).map(({ length }) => length)).toEqual([3, 3])
    await last.close()
  })

  it('that was made and never written to is begun anew', async () => {
    const wanted = wantedIn(temporaryDirectory())
    writeFileSync(partialName(wanted.file, hash), '', { mode: 0o600 })
    const { target, close } = await openPartial(wanted)
    expect(target.earlier?.chunksOf(runName)).toEqual([])
    await close()
  })
})

describe('a partial file of another size than the storage says now', () => {
  it.each([
    ['smaller', 3],
    ['larger', 1_000_000],
    ['with no room for it', 6_000_000_000],
  ])('is begun anew: it was to be %s before', async (_, bytes) => {
    const wanted = wantedIn(temporaryDirectory())
    await brokenOff({ ...wanted, bytes })
    const { target, isWhole, close } = await openPartial(wanted)
    expect(isWhole).toBe(false)
    expect(target.earlier?.chunksOf(runName)).toEqual([])
    expect(statSync(partialName(wanted.file, hash)).size).toBeLessThan(200)
    await close()
  })

  it('is begun anew where it was never written to', async () => {
    const wanted = wantedIn(temporaryDirectory())
    await (await openPartial({ ...wanted, bytes: 500 })).close()
    const { target, close } = await openPartial(wanted)
    await target.put({ runName, first: 0, chunks: [chunk('one', 0)] })
    await close()
    const again = await openPartial(wanted)
    expect(again.target.earlier?.chunksOf(runName)).toHaveLength(1)
    await again.close()
  })
})

describe('a download whose last step failed', () => {
  /** All is there, and a folder has taken the place of the file. */
  async function withoutName(folder: string, content: string) {
    const wanted = {
      ...wantedIn(folder),
      hash: await hashData(Readable.from([Buffer.from('0123456789')])),
    }
    const partial = await openPartial(wanted)
    await partial.target.put({ runName, first: 0, chunks: [chunk(content, 0)] })
    mkdirSync(wanted.file)
    await expect(partial.keep()).rejects.toThrow('it is a directory')
    await partial.close()
    rmdirSync(wanted.file)
    return wanted
  }

  it('gets its name the next time, and nothing is fetched again', async () => {
    const folder = temporaryDirectory()
    const wanted = await withoutName(folder, '0123456789')
    const partial = await openPartial(wanted)
    expect(partial.isWhole).toBe(true)
    await partial.keep()
    await partial.close()
    expect(readFileSync(wanted.file, 'utf8')).toBe('0123456789')
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it('is not taken for whole by its size alone', async () => {
    const wanted = await withoutName(temporaryDirectory(), '0123456780')
    await expect(openPartial(wanted)).rejects.toThrow('is another kind of file; move it away')
    expect(readFileSync(partialName(wanted.file, wanted.hash), 'utf8')).toBe('0123456780')
  })
})

it('a lock file with something in it is not ours, and stays', async () => {
  const wanted = wantedIn(temporaryDirectory())
  const path = `${partialName(wanted.file, hash)}.lock`
  writeFileSync(path, 'somebody else')
  await expect(openPartial(wanted)).rejects.toThrow('it exists already, and is not overwritten')
  expect(readFileSync(path, 'utf8')).toBe('somebody else')
})

it('a folder that cannot be written to is told in one line', async () => {
  const folder = temporaryDirectory()
  await expect(openPartial(wantedIn(join(folder, 'none')))).rejects.toMatchObject({ exitCode: 3 })
  expect(readdirSync(folder)).toEqual([])
})

const disk = mountSmallDisk(4)

it.skipIf(disk === undefined)('a full disk is told, and what is there stays', async () => {
  if (disk === undefined) return
  onTestFinished(disk.remove)
  const wanted = { ...wantedIn(disk.folder), bytes: 3_000_000 }
  await brokenOff(wanted)
  const partial = await openPartial(wanted)
  disk.fill()
  const chunks = [{ ...chunk('x', 5), bytes: Buffer.alloc(2_000_000) }]
  await expect(partial.target.put({ runName, first: 2, chunks })).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('there is no room left on the disk'),
  })
  disk.free()
  await partial.close()
  const again = await openPartial(wanted)
  expect(again.target.earlier?.chunksOf(runName)).toHaveLength(2)
  await again.close()
})
