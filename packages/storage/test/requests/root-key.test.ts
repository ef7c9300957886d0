/** The root of all keys of blob URLs: made once, replaced at any time, and never used again after that. */

import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKeyFile, replaceKeyFile } from '@latchkey/service/machine/files'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openRootKey } from '../../src/blob-url/root-key.ts'

const name = 'blob-url-key'

function newData(text?: string, mode = 0o600) {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-root-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  const file = join(data, name)
  if (text !== undefined) writeFileSync(file, text)
  if (text !== undefined) chmodSync(file, mode)
  const { now: stopwatch, pass } = movedStopwatch()
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  const open = () => {
    const root = openRootKey(data, name, { stopwatch, randomBytes, onFailure })
    return () => root.current().export().toString('hex')
  }
  return { data, file, open, pass, failures }
}

describe('a storage does not start, and leaves the file as it is, when', () => {
  const key = `${Buffer.alloc(32, 5).toString('base64')}\n`
  it.each([
    ['others can read it', key, 0o604, /mode 604.*chmod 600/],
    ['it is too short', 'c2hvcnQ=\n', 0o600, /hold 32 bytes.*Remove it/],
    ['it is too long', key + key, 0o600, /hold 32 bytes/],
  ])('%s', (_, text, mode, says) => {
    const { data, open } = newData(text, mode)
    expect(open).toThrow(says)
    expect(readdirSync(data)).toEqual([name])
  })
})

it('the root is made once, for its owner only', () => {
  const { file, open } = newData()
  const made = open()()
  expect(made).toHaveLength(64)
  expect(open()()).toBe(made)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('a running storage takes a replaced root within two seconds', () => {
  const { file, open, pass } = newData()
  const root = open()
  const before = root()
  replaceKeyFile(file)
  expect(root()).toBe(before)
  pass(2)
  const after = root()
  expect(after).not.toBe(before)
  expect(open()()).toBe(after)
})

it.each([
  ['was removed', (file: string) => rmSync(file)],
  ['is damaged', (file: string) => writeFileSync(file, 'nothing')],
  ['can be read by others', (file: string) => chmodSync(file, 0o644)],
])(
  'a root whose file %s is used no more, the operator is told once, and the next one is taken',
  (_, spoil) => {
    const { file, open, pass, failures } = newData()
    const root = open()
    const before = root()
    spoil(file)
    pass(2)
    const meanwhile = root()
    expect(meanwhile).not.toBe(before)
    pass(2)
    expect([root(), failures.length]).toEqual([meanwhile, 1])
    rmSync(file, { force: true })
    makeKeyFile(file)
    pass(2)
    expect(root()).toBe(open()())
  },
)
