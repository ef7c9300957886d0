/** The packed gate, installed with the dependencies that its tarball declares and with no other package. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, inject, test } from 'vitest'
import { root } from '../packages.ts'

interface Manifest {
  readonly exports: Readonly<Record<string, object>>
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Puts a package and all that it needs into a folder of modules; gives their names. */
function install(name: string, modules: string): readonly string[] {
  const folder = join(modules, name)
  mkdirSync(join(folder, '..'), { recursive: true })
  const tarball = inject('tarballs').find((one) => one.name === name)
  if (tarball === undefined) symlinkSync(join(root, 'node_modules', name), folder)
  else unpack(tarball.file, folder)
  const { dependencies = {} } = manifestIn(folder)
  return [name, ...Object.keys(dependencies).flatMap((other) => install(other, modules))]
}

function unpack(tarball: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const words = ['-xzf', tarball, '--strip-components=1', '-C', folder]
  const { status, stderr } = spawnSync('tar', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${tarball} cannot be unpacked: ${stderr}`)
}

test('the packed gate installs five packages, and each of its entries loads with them alone', () => {
  const cwd = temporaryFolder()
  const installed = install('@latchkey/gate', join(cwd, 'node_modules'))
  const ours = ['gate', 'protocol', 'service', 'token'].map((name) => `@latchkey/${name}`)
  expect([...new Set(installed)].sort()).toEqual([...ours, 'jose'])

  const { exports } = manifestIn(join(cwd, 'node_modules/@latchkey/gate'))
  const entries = Object.keys(exports).map((entry) => join('@latchkey/gate', entry))
  expect(entries.length).toBeGreaterThan(5)
  const program = `for (const entry of ${JSON.stringify(entries)}) await import(entry)`
  const words = ['--input-type=module', '-e', program]
  const { status, stderr } = spawnSync(process.execPath, words, { cwd, env: {}, encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
