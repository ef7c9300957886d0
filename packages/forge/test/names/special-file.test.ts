/** Git's own files, by every name that leads to them. */

import { describe, expect, test } from 'vitest'
import { specialFileOf } from '../../src/words/special-file.ts'

describe('a file of git', () => {
  test.each([
    ['a/b/.gitmodules', 'gitmodules'],
    ['.GITMODULES', 'gitmodules'],
    ['.gitmodules. .', 'gitmodules'],
    ['.gitmodules::$DATA', 'gitmodules'],
    ['.git\u200cmodules', 'gitmodules'],
    ['GITMOD~1', 'gitmodules'],
    ['gi7eba~1', 'gitmodules'],
    ['gi7~1234', 'gitmodules'],
    ['~1000000', 'gitmodules'],
    ['.gitattributes', 'gitattributes'],
    ['gitatt~4', 'gitattributes'],
    ['.gitignore', 'gitignore'],
    ['.mailmap', 'mailmap'],
  ])('is known by %j', (path, file) => {
    expect(specialFileOf(path)).toBe(file)
  })

  test.each([
    'gitmodules',
    '.gitmodules/x',
    '.gitmodulesx',
    'gitmod~5',
    'gi7eba~0',
    'gi7eba~',
    'gi7ebb~1',
  ])('is not called %j', (path) => {
    expect(specialFileOf(path)).toBeUndefined()
  })
})
