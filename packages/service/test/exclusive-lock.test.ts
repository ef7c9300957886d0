import { chownSync, linkSync, lstatSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type ExclusiveLock, takeLock } from '../src/machine/exclusive-lock.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65_534

/** Runs it once between the opening of the lock file and the lock on it. */
function beforeLocking(work: () => void) {
  const { exec } = DatabaseSync.prototype
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec')
  onTestFinished(() => spy.mockRestore())
  spy.mockImplementationOnce(function (this: DatabaseSync, sql) {
    work()
    return exec.call(this, sql)
  })
}

it('is held by one, also where its file was removed and made anew while a second one waited', () => {
  const path = join(temporaryFolder(), 'lock')
  const first = takeLock(path)
  let third: ExclusiveLock | undefined
  beforeLocking(() => {
    first?.release()
    third = takeLock(path)
  })
  const second = takeLock(path)
  expect([second, third]).toEqual([undefined, expect.anything()])
  third?.release()
  expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined()
})

it('is taken where its file was removed in between, and leaves none behind', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'lock')
  const first = takeLock(path)
  beforeLocking(() => first?.release())
  const second = takeLock(path)
  expect(second).toBeDefined()
  expect(takeLock(path)).toBeUndefined()
  expect(readdirSync(folder)).toEqual(['lock'])
  second?.release()
  expect(readdirSync(folder)).toEqual([])
})

it.each([
  ['a link', (path: string) => symlinkSync('other', path)],
  ['a second name of a file', (path: string) => linkSync(join(path, '../other'), path)],
  ['a file with something in it', (path: string) => writeFileSync(path, 'x')],
])('is not taken on %s', (_, put) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'other'), '')
  const path = join(folder, 'lock')
  put(path)
  expect(() => takeLock(path)).toThrow('it exists already, and is not overwritten')
  expect(readdirSync(folder).toSorted()).toEqual(['lock', 'other'])
})

it.runIf(isRoot)('is not taken on a file of another user, who could hold it for ever', () => {
  const path = join(temporaryFolder(), 'lock')
  writeFileSync(path, '')
  chownSync(path, nobody, nobody)
  expect(() => takeLock(path)).toThrow('it exists already, and is not overwritten')
})
