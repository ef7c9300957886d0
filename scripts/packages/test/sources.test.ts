/** In a checkout everything runs from the sources, also where a build lies beside them. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf, root } from '../packages.ts'

/** Prints what a plain import finds. */
const script = `console.log(import.meta.resolve('@latchkey/protocol'))`
const source = new URL(`file://${join(folderOf('protocol'), 'src/index.ts')}`).href

test('what npm runs finds the sources', () => {
  const { PATH, HOME } = process.env
  const words = ['exec', '--', 'node', '-e', script]
  const { stdout, stderr } = spawnSync('npm', words, {
    cwd: root,
    env: { PATH, HOME },
    encoding: 'utf8',
  })
  expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: source, stderr: '' })
})

test('so do the tests, and the processes that they start', () => {
  expect(import.meta.resolve('@latchkey/protocol')).toBe(source)
  const words = ['-e', script]
  const { stdout } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  expect(stdout.trim()).toBe(source)
})
