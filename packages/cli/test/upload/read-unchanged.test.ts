import {
  appendFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { readUnchanged } from '../../src/upload/collect-sources.ts'
import { temporaryDirectory } from '../run-latchkey.ts'

function fileOf(content: string | Buffer) {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, content)
  return { file, seen: statSync(file) }
}

describe('a file that is read', () => {
  it('gives all of its bytes', async () => {
    const content = Buffer.alloc(3_000_000, 'latchkey')
    const { file, seen } = fileOf(content)
    expect((await buffer(readUnchanged(file, seen))).equals(content)).toBe(true)
  })

  it.each<[string, (file: string) => void]>([
    ['was appended to', (file) => appendFileSync(file, 'more')],
    [
      'was replaced by one of the same length and time',
      (file) => {
        const { atimeMs, mtimeMs } = statSync(file)
        writeFileSync(`${file}.new`, 'tnetnoc')
        utimesSync(`${file}.new`, atimeMs / 1000, mtimeMs / 1000)
        renameSync(`${file}.new`, file)
      },
    ],
    [
      'has become a link to another',
      (file) => {
        renameSync(file, `${file}.old`)
        writeFileSync(`${file}.secret`, 'content')
        symlinkSync(`${file}.secret`, file)
      },
    ],
  ])('is refused where it %s since it was seen', async (_, change) => {
    const { file, seen } = fileOf('content')
    change(file)
    await expect(buffer(readUnchanged(file, seen))).rejects.toThrow(
      `"${file}" has changed during the upload`,
    )
  })

  it('is refused where it changes before its end', async () => {
    const { file, seen } = fileOf(Buffer.alloc(3_000_000))
    const reading = readUnchanged(file, seen)
    await reading.next()
    appendFileSync(file, 'more')
    await expect(buffer(reading)).rejects.toThrow('has changed during the upload')
  })

  it('is refused where it is gone', async () => {
    const { file, seen } = fileOf('content')
    rmSync(file)
    await expect(buffer(readUnchanged(file, seen))).rejects.toThrow('there is no such file')
  })
})
