import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { prepareOwnData } from '../../src/serve/own-data.ts'
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
    ['they are a hub’s by its database', () => directoryWith('latchkey.db', ''), /data of a hub/],
    ['they are a hub’s by its key', () => directoryWith('master.key', key), /data of a hub/],
    [
      'they are a hub’s by the key of its storage',
      () => directoryWith('embedded-blob-url-key', key),
      /data of a hub/,
    ],
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
    expect(() => prepareOwnData(data)).toThrow(says)
    expect(readdirSync(data)).toEqual(before)
  })
})

it('the directory is made for its owner only', () => {
  const data = join(temporaryDirectory(), 'new')
  prepareOwnData(data)
  expect(statSync(data).mode & 0o777).toBe(0o700)
})
