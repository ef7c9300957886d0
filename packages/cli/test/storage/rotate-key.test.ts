/** `latchkey storage rotate-key`: URLs of the old key are dead, at a storage that goes on running. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { temporaryDirectory } from '../run-latchkey.ts'
import { openRunningStorage } from './running-storage.ts'

const waiting = { timeout: 60_000 }

it('a directory without a storage is told so, and nothing is made there', async () => {
  const cwd = temporaryDirectory()
  mkdirSync(join(cwd, 'data'), { mode: 0o700 })
  const { code, stderr } = await latchkey(['storage', 'rotate-key', '--data', 'data'], { cwd })
  const says = /^latchkey: no blob URL key in \S*data: no storage has run .+--data\.\n$/
  expect([code, stderr]).toEqual([3, expect.stringMatching(says)])
  expect(readdirSync(join(cwd, 'data'))).toEqual([])
})

it('a key that is damaged is replaced, for its owner only', async () => {
  const cwd = temporaryDirectory()
  const key = join(cwd, 'data', 'blob-url-key')
  mkdirSync(join(cwd, 'data'), { mode: 0o700 })
  writeFileSync(key, 'half a k', { mode: 0o600 })
  const { code } = await latchkey(['storage', 'rotate-key', '--data', 'data'], { cwd })
  expect(code).toBe(0)
  expect(Buffer.from(readFileSync(key, 'utf8'), 'base64')).toHaveLength(32)
  expect(statSync(key).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(cwd, 'data')).toSorted()).toEqual(['blob-url-key', 'commands.log'])
})

it('URLs that were signed before are refused soon, tokens and new URLs work, and nothing is restarted', async () => {
  const { cwd, run, held, put, look, openBlob } = await openRunningStorage()
  const token = await held()
  expect(await put(token)).toBe(200)
  const before = await openBlob(token)
  expect(await before()).toBe(206)
  const { stderr } = await run('storage', 'rotate-key')
  expect(stderr).toContain('is replaced')
  expect(stderr).toContain('a running storage rejects URLs of the old key within 2 s')
  await expect.poll(before, waiting).toBe(403)
  expect(await look(token)).toBe(200)
  const after = await openBlob(token)
  expect(await after()).toBe(206)
  const [line] = readFileSync(join(cwd, 'latchkey-data', 'commands.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(-1)
  expect(JSON.parse(line ?? '')).toMatchObject({ verb: 'storage rotate-key', outcome: 'done' })
})
