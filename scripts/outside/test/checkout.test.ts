/** What the documents tell to do in a checkout: run in a copy of this one, in a soak. */

import { spawnSync } from 'node:child_process'
import { cpSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect, test } from 'vitest'
import { packages, root } from '../../packages/packages.ts'
import { inCheckout } from '../documented.ts'
import { machineWith } from '../machine.ts'
import { run, type Surroundings, start } from '../run.ts'

const starting = 'npm ci && npm start'
const packing = 'npm ci && npm run pack:all -- ../latchkey-packages'

test('the documents tell two commands for a checkout', () => {
  expect(new Set(inCheckout.map(({ command }) => command))).toEqual(new Set([starting, packing]))
})

test('both do in a new checkout what they are for', { tags: 'soak' }, async () => {
  const { cwd, env } = newCheckout()
  const ports = {
    LATCHKEY_PORT: `${await freePort()}`,
    LATCHKEY_STORAGE_PORT: `${await freePort()}`,
  }
  const demo = start('bash', ['-c', starting], { cwd, env: { ...env, ...ports } })
  await demo.said(/Ctrl\+C/).finally(demo.stop)

  await run('bash', ['-c', packing], { cwd, env })
  const made = globSync('*.tgz', { cwd: join(cwd, '../latchkey-packages') })
  expect(made).toHaveLength(packages.length)
})

/** Of the files that git knows or would know, on a machine with the oldest Node. */
function newCheckout(): Surroundings {
  const folder = temporaryFolder()
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' })
  const cwd = join(folder, 'latchkey')
  for (const file of stdout.split('\0').filter(Boolean)) {
    cpSync(join(root, file), join(cwd, file), { recursive: true })
  }
  const machine = machineWith(20, join(folder, 'machine'))
  if (machine === undefined) throw new Error('Node 20 is not installed')
  return { cwd, env: machine.env }
}
