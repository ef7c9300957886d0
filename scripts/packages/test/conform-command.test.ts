/** The command of `@latchkey/conform` runs from the files of its tarball, without the rest of latchkey. */

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { folderOf, root } from '../packages.ts'

const tarball = inject('tarballs').find(({ name }) => name === '@latchkey/conform')
const { bin } = JSON.parse(readFileSync(join(folderOf('conform'), 'package.json'), 'utf8'))
const [program = ''] = Object.values<string>(bin)

/** Without the condition by which our packages are found as sources. */
function run(...words: readonly string[]) {
  const { PATH = '' } = process.env
  const file = join(folderOf('conform'), program)
  return spawnSync(process.execPath, [file, ...words], { encoding: 'utf8', env: { PATH } })
}

test('npx finds one program, which is in the tarball and names Node', () => {
  expect(Object.keys(bin)).toEqual(['latchkey-conform'])
  expect(tarball?.files).toContain(program)
  expect(readFileSync(join(folderOf('conform'), program), 'utf8')).toMatch(
    /^#!\/usr\/bin\/env node/,
  )
})

test('the compiled program prints the world of the vectors', () => {
  const { stdout, stderr } = run('--print-world')
  expect({ stdout, stderr }).toEqual({
    stdout: readFileSync(join(root, 'vectors/world.json'), 'utf8'),
    stderr: '',
  })
})

test('the compiled program says in one line what is wrong', () => {
  const { status, stdout, stderr } = run('--hub', 'nonsense')
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^latchkey-conform: --hub must be a URL.*\n$/)
})
