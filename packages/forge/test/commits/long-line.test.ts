/** Lines that hold large files: read in slices, and as strictly as any other. */

import { isRefusal } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { readAnyCommitLine } from '../../src/commits/long-line.ts'

const megabyte = 1024 * 1024
const noise = (length: number) =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 2654435761) >>> 24))
const lineOf = (value: object, key = 'file') => Buffer.from(JSON.stringify({ key, value }))
const codeOf = async (line: Uint8Array) => {
  const read = await readAnyCommitLine(line)
  return isRefusal(read) ? read.code : read.kind
}

test('a file of megabytes comes out as it went in, whatever its path', async () => {
  for (const more of [0, 1, 2]) {
    const content = noise(megabyte + more)
    const value = { path: 'a "b" \\c.bin'.replace('\\', ''), content: content.toString('base64') }
    const read = await readAnyCommitLine(lineOf({ ...value, encoding: 'base64' }))
    if (isRefusal(read) || read.kind !== 'file') throw new Error('it is a file')
    expect(Buffer.compare(Buffer.from(read.content), content)).toBe(0)
    expect(read.path).toBe('a "b" c.bin')
  }
})

test('nothing else is as long, and base64 has one spelling', async () => {
  const good = noise(megabyte).toString('base64')
  const spoilt = (at: number, letter: string) => good.slice(0, at) + letter + good.slice(at + 1)
  const base64 = (content: string) => lineOf({ path: 'a', content, encoding: 'base64' })
  expect(await codeOf(base64(spoilt(500_000, '!')))).toBe('bad_request')
  expect(await codeOf(base64(spoilt(262_143, '=')))).toBe('bad_request')
  expect(await codeOf(base64(good.slice(0, -1)))).toBe('bad_request')
  expect(await codeOf(lineOf({ path: 'a', content: good, encoding: 'utf-8' }))).toBe('bad_request')
  expect(await codeOf(lineOf({ path: good }, 'deletedFile'))).toBe('bad_request')
  expect(await codeOf(lineOf({ path: 'a', content: good, encoding: 'base64', more: good }))).toBe(
    'bad_request',
  )
  const tooLarge = Buffer.alloc(10 * megabyte + 3).toString('base64')
  expect(await codeOf(base64(tooLarge))).toBe('body_too_large')
})
