import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import { expect, it } from 'vitest'
import { temporaryDirectory } from './run-latchkey.ts'

/** With a home, and no cache of the test's own. */
function start(HOME: string, more: NodeJS.ProcessEnv = {}) {
  const { status, stderr } = spawnSync(process.execPath, [latchkeyBin, '--version'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME, ...more },
    cwd: temporaryDirectory(),
  })
  expect([status, stderr]).toEqual([0, ''])
}

it('what was compiled is kept for the next start, in a folder for its owner alone', () => {
  const home = temporaryDirectory()
  start(home)
  const folder = join(home, '.cache/latchkey')
  expect(readdirSync(folder)).toHaveLength(1)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

it('nothing is kept in a folder that others can write to', () => {
  const home = temporaryDirectory()
  const folder = join(home, '.cache/latchkey')
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o777)
  start(home)
  expect(readdirSync(folder)).toEqual([])
})

it('a home that is not there is not made', () => {
  const home = join(temporaryDirectory(), 'none')
  start(home)
  expect(statSync(home, { throwIfNoEntry: false })).toBeUndefined()
})

it.each([
  ['is open to others', (home: string) => chmodSync(home, 0o777)],
  ...(process.getuid?.() === 0
    ? [["is another user's", (home: string) => chownSync(home, 65_534, 65_534)] as const]
    : []),
] as const)('nothing is made in a home that %s', (_, change) => {
  const home = temporaryDirectory()
  change(home)
  start(home)
  expect(readdirSync(home)).toEqual([])
})

it('a cache folder that is named by a relative path is ignored', () => {
  const home = temporaryDirectory()
  start(home, { XDG_CACHE_HOME: 'caches' })
  expect(readdirSync(home)).toEqual(['.cache'])
})
