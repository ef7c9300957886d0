import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openOwnData } from '../../src/serve/own-data.ts'
import { temporaryDirectory } from '../run-latchkey.ts'

const key = `${Buffer.alloc(32, 5).toString('base64')}\n`

/** A data directory with one file in it. */
function directoryWith(name: string, text: string, mode = 0o600): string {
  const data = join(temporaryDirectory(), 'data')
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(join(data, name), text)
  chmodSync(join(data, name), mode)
  return data
}

describe('the data of a storage alone are refused, and left as they are, when', () => {
  it.each([
    [
      'others can read its key',
      () => directoryWith('blob-url-key', key, 0o604),
      /mode 604.*chmod 600/,
    ],
    ['its key is too short', () => directoryWith('blob-url-key', 'c2hvcnQ=\n'), /hold 32 bytes/],
    ['its key is too long', () => directoryWith('blob-url-key', key + key), /hold 32 bytes/],
    ['they are a hub’s by its database', () => directoryWith('latchkey.db', ''), /data of a hub/],
    ['they are a hub’s by its key', () => directoryWith('master.key', key), /data of a hub/],
    [
      'the directory is open to others',
      () => {
        const data = directoryWith('blob-url-key', key)
        chmodSync(data, 0o750)
        return data
      },
      /open to other users \(mode 750\).*chmod 700/,
    ],
  ])('%s', (_, prepare, says) => {
    const data = prepare()
    const before = readdirSync(data)
    expect(() => openOwnData(data)).toThrow(says)
    expect(readdirSync(data)).toEqual(before)
  })
})

it('the key is made once, for its owner only', () => {
  const data = join(temporaryDirectory(), 'new')
  const made = openOwnData(data)
  expect(openOwnData(data).reveal()).toBe(made.reveal())
  expect(Buffer.from(made.reveal(), 'base64')).toHaveLength(32)
  expect(statSync(join(data, 'blob-url-key')).mode & 0o777).toBe(0o600)
  expect(statSync(data).mode & 0o777).toBe(0o700)
})
