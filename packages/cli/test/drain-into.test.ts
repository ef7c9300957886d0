import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { drainInto } from '../src/transfer/drain-into.ts'
import { openSink } from '../src/transfer/sink.ts'
import { temporaryDirectory } from './run-latchkey.ts'

async function* parts(error?: Error): AsyncGenerator<Uint8Array> {
  yield Buffer.from('the ')
  yield Buffer.from('whole')
  if (error !== undefined) throw error
}

it('data that breaks in its last moment leaves the old file, and says itself why', async () => {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, 'old')
  const wrong = new Error('it was another file')
  await expect(drainInto(openSink(file), parts(wrong), () => {})).rejects.toBe(wrong)
  expect(readFileSync(file, 'utf8')).toBe('old')
})

it('a sink that breaks is told as one', async () => {
  const full = async () => {
    throw new Error('the disk is full')
  }
  await expect(drainInto(full, parts(), () => {})).rejects.toThrow('the disk is full')
})

it('data that is whole takes the name, and every part of it is told', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'file')
  const told: number[] = []
  await drainInto(openSink(file), parts(), (bytes) => told.push(bytes))
  expect(readFileSync(file, 'utf8')).toBe('the whole')
  expect([told, readdirSync(directory)]).toEqual([[4, 9], ['file']])
})
