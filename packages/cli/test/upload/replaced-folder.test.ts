import fs from 'node:fs'
import { join } from 'node:path'
import { replaceBuiltin } from '@latchkey/testing/replace-builtin'
import { beforeEach, describe, expect, it } from 'vitest'
import { walkFolder } from '../../src/upload/walk-folder.ts'
import { temporaryDirectory } from '../run-latchkey.ts'
import { folderOf } from './folder-of.ts'

/** What happens at the disk between two steps of a walk. */
const between = {
  afterStatusOf: (_path: string) => {},
  beforeListing: (_path: string) => {},
  hasDescriptors: true,
}

const real = { ...fs }

const watched = {
  existsSync: (path: string) =>
    path.startsWith('/proc/') && !between.hasDescriptors ? false : real.existsSync(path),
  lstatSync(path: string, options: object) {
    const status = real.lstatSync(path, options)
    between.afterStatusOf(path)
    return status
  },
  readdirSync(path: string, options: object) {
    between.beforeListing(path)
    return real.readdirSync(path, options)
  },
}

/** A folder, and a link to a secret that can take the place of the folder inside it. */
function world() {
  const root = folderOf(temporaryDirectory(), { 'up/sub/a': 'a', 'secret/id_rsa': 'key' })
  const sub = join(root, 'up/sub')
  const replace = () => {
    fs.renameSync(sub, join(root, 'aside'))
    fs.symlinkSync(join(root, 'secret'), sub)
  }
  return { up: join(root, 'up'), replace }
}

function once(work: () => void) {
  let isDone = false
  return (isMeant: boolean) => {
    if (isDone || !isMeant) return
    isDone = true
    work()
  }
}

beforeEach(() => {
  between.afterStatusOf = () => {}
  between.beforeListing = () => {}
  between.hasDescriptors = true
  return replaceBuiltin(fs, watched)
})

const changed = /sub" has changed during the upload; run the command again/

describe('a link that takes the place of a folder is not followed', () => {
  it.each([true, false])('after it was seen (descriptors as files: %s)', (hasDescriptors) => {
    const { up, replace } = world()
    const act = once(replace)
    between.hasDescriptors = hasDescriptors
    between.afterStatusOf = (path) => act(path.endsWith('/sub'))
    expect(() => walkFolder(up)).toThrow(changed)
  })

  it('after it was opened: the folder itself is listed', () => {
    const { up, replace } = world()
    let listed = 0
    between.beforeListing = () => {
      listed += 1
      if (listed === 2) replace()
    }
    expect(walkFolder(up).files.map(({ path }) => path)).toEqual(['sub/a'])
    expect(fs.readlinkSync(join(up, 'sub'))).toMatch(/secret$/)
  })

  it('after it was opened, where descriptors are no files: the walk is refused', () => {
    const { up, replace } = world()
    const act = once(replace)
    between.hasDescriptors = false
    between.beforeListing = (path) => act(path.endsWith('/sub'))
    expect(() => walkFolder(up)).toThrow(changed)
  })
})
