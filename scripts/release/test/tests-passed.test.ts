/** Passed tests count for the files that they were run on, and for no others. */

import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'
import { committedTree, forgetPassed, readPassed } from '../tests-passed.ts'
import { repository } from './repository.ts'

test('files that are not committed, or not in git, have no tree that could pass', () => {
  const made = repository(temporaryFolder())
  expect(committedTree(made.root)).toMatch(/^[0-9a-f]{40}$/)
  made.write('new.js', '')
  expect([committedTree(made.root), committedTree('/')]).toEqual([undefined, undefined])
})

test('a commit that changes no file needs no new tests, and one that does needs them', () => {
  const made = repository(temporaryFolder())
  made.commit('docs: only a message')
  expect(readPassed(made.root)).toMatchObject({ passed: 1 })
  made.write('new.js', '')
  made.commit('fix: a file')
  expect(readPassed(made.root)).toBeUndefined()
})

test('a failed run takes back what an earlier one has noted', () => {
  const { root } = repository(temporaryFolder())
  forgetPassed(root)
  expect(readPassed(root)).toBeUndefined()
})
