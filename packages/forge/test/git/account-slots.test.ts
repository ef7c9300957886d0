/** Some slots of each kind of git process are left to accounts that have none. */

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Git, type ObjectHash, openGit, type Repository } from '../../src/git/index.ts'
import { isGitThere } from '../real-git.ts'
import { uidOf } from './world.ts'

const hash = 'a'.repeat(40) as ObjectHash

type Work = (git: Git, letter: string, signal: AbortSignal) => Promise<unknown>

const repositoryOf = (git: Git, letter: string): Repository =>
  git.open(uidOf(letter)) ?? expect.unreachable(`there is no repository ${letter}`)

describe.skipIf(!isGitThere)('an account that takes every slot it can get', () => {
  const folder = sharedFolder()
  const [begun, hanging] = [join(folder, 'begun'), join(folder, 'hanging')]
  const left = new AbortController()
  let git: Git
  beforeAll(async () => {
    const program = join(folder, 'git')
    // Once the file is there, git says where it has begun, and never ends.
    const hang = `(pwd; cat rules) >> '${begun}' 2> /dev/null; exec sleep 1000`
    writeFileSync(program, `#!/bin/sh\n[ -e '${hanging}' ] && { ${hang}; }\nexec git "$@"\n`, {
      mode: 0o755,
    })
    // One of each kind is reserved.
    const bounds = { maxWorking: 4, maxServing: 4, maxServingOfAccount: 4, maxReaders: 4 }
    const root = join(folder, 'repositories')
    git = await openGit({ folder: root, program, bounds })
    await git.create(uidOf('a'))
    for (const letter of 'bcde') {
      cpSync(join(root, `${uidOf('a')}.git`), join(root, `${uidOf(letter)}.git`), {
        recursive: true,
      })
    }
    writeFileSync(hanging, '')
  })
  afterAll(() => {
    left.abort(new Error('the test is over'))
    git?.close()
  })

  // biome-ignore format: a table is read by its columns
  test.each<readonly [string, Work]>([
    ['processes that work',  (git, letter, signal) => git.filtersOf({ text: uidOf(letter), paths: ['a'], signal })],
    ['processes that serve', (git, letter, signal) => repositoryOf(git, letter).advertiseRefs({ signal }).next()],
    ['readers of objects',   (git, letter) => repositoryOf(git, letter).infoOf([hash])],
  ])('leaves the last of the %s to another account', async (_, work) => {
    writeFileSync(begun, '')
    const begin = (account: string, letter: string) => {
      const charged = git.calledBy({ account: () => account, signal: undefined })
      work(charged, letter, left.signal).catch(() => {})
    }
    const letters = () =>
      [...'abcde'].filter((letter) => readFileSync(begun, 'utf8').includes(uidOf(letter)))
    for (const letter of 'abcd') begin('greedy', letter)
    await expect.poll(() => letters().length).toBeGreaterThanOrEqual(3)
    begin('modest', 'e')
    await expect.poll(letters).toContain('e')
    expect(letters()).toHaveLength(4)
  })
})
