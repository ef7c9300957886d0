import { mkdirSync, openAsBlob, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { explainBrokenData, readData } from '../src/transfer/request-data.ts'
import { temporaryDirectory } from './run-latchkey.ts'

async function sent(body: unknown): Promise<string> {
  if (typeof body !== 'function') throw new Error('not made anew for every try')
  const blob: Blob = await body()
  return blob.text()
}

it('a file that is not there, or is a directory, is told before anything is sent', () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'd'))
  expect(() => readData(`@${join(directory, 'x')}`)).toThrow('there is no such file')
  expect(() => readData(`@${join(directory, 'd')}`)).toThrow('it is a directory')
})

it('a file is read anew for every try, and refused once it has changed', async () => {
  const file = join(temporaryDirectory(), 'data')
  writeFileSync(file, 'as it was')
  const body = readData(`@${file}`)
  expect(await sent(body)).toBe('as it was')
  expect(await sent(body)).toBe('as it was')
  writeFileSync(file, 'another')
  await expect(sent(body)).rejects.toThrow('has changed during the upload')
  rmSync(file)
  await expect(sent(body)).rejects.toThrow('there is no such file')
})

it('anything else is the data itself, in UTF-8', () => {
  expect(readData('ä=@x')).toEqual(Buffer.from('ä=@x'))
  expect(readData('')).toEqual(Buffer.from(''))
})

it('a file that changes on its way is told as such', async () => {
  const file = join(temporaryDirectory(), 'data')
  writeFileSync(file, 'as it was')
  const blob = await openAsBlob(file)
  writeFileSync(file, 'no longer')
  utimesSync(file, 1, 1)
  const error: unknown = await blob.text().catch((reason: unknown) => reason)
  expect(explainBrokenData(error)).toMatchObject({
    message: expect.stringMatching(/^the data has changed during the upload; /),
  })
  const other = new Error('another')
  expect(explainBrokenData(other)).toBe(other)
})
