import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { openSink } from '../src/transfer/sink.ts'
import { temporaryDirectory } from './run-latchkey.ts'

it('what names no file is refused at once, and nothing is made', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'file'), '')
  expect(() => openSink('')).toThrow('"" cannot be written: it names no file')
  for (const name of ['none/', 'file/']) {
    expect(() => openSink(`${directory}/${name}`)).toThrow('cannot be written: it names no')
  }
  expect(readdirSync(directory)).toEqual(['file'])
})

it('a file whose name is taken in the meantime is told as one that cannot be written', async () => {
  const file = join(temporaryDirectory(), 'file')
  const sink = openSink(file)
  mkdirSync(file)
  await expect(sink(Readable.from([Buffer.from('data')]))).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('cannot be written: it is a directory'),
  })
})
