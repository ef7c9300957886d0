import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bin, temporaryDirectory } from './run-latchkey.ts'

/** With a home, and no cache of the test's own. */
function start(HOME: string) {
  const { status, stderr } = spawnSync(process.execPath, [bin, '--version'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME },
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
