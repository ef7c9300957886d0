/** What the documents tell to install, once it is published: by its name, from a registry that has it. */

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { root } from '../../packages/packages.ts'
import { documented, installCommand } from '../documented.ts'
import { lockfile, Missing, npmInstall } from '../install.ts'
import { type Machine, machineWith } from '../machine.ts'
import { openRegistry } from '../open-registry.ts'
import { run } from '../run.ts'

const namesIn = (command: string) => command.split(' ').filter((word) => word.includes('latchkey'))

const fromTarballs = (['client', 'xet', 'gate-fetch', 'latchkey'] as const).map(installCommand)
const others = [...new Set(documented.map(({ command }) => command))].filter(
  (command) => !fromTarballs.includes(command),
)
const byName = others.filter((command) => !command.includes('.tgz'))
const otherTarballs = others.filter((command) => command.includes('.tgz'))
const commands = rounds(0, 1) === 1 ? byName : ['npm install @latchkey/client']

test('every command of the documents names our packages, or is run with the tarballs', () => {
  const names = inject('tarballs').map(({ name }) => name)
  expect(byName).toEqual(expect.arrayContaining(commands))
  expect(byName.flatMap(namesIn).filter((name) => !names.includes(name))).toEqual([])
})

test.each(otherTarballs)('%s has every package of ours that is needed', (command) => {
  const names = /latchkey-\{([a-z,-]+)\}-\*\.tgz$/.exec(command)?.[1]?.split(',') ?? []
  expect(names).not.toEqual([])
  const needed = names.flatMap((name) =>
    Object.keys(manifestOf(name).dependencies ?? {}).filter((each) =>
      each.startsWith('@latchkey/'),
    ),
  )
  const given = names.map((name) => `@latchkey/${name}`)
  expect(needed.filter((name) => !given.includes(name))).toEqual([])
})

function manifestOf(name: string): { readonly dependencies?: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'))
}

describe('from a registry', () => {
  test.for(commands)('%s brings all that is needed', async (command, { skip }) => {
    const machine = await machineWithRegistry(temporaryFolder())
    const cwd = join(machine.folder, 'project')
    mkdirSync(cwd)
    copyFileSync(lockfile, join(cwd, 'package-lock.json'))
    try {
      await npmInstall(command, { cwd, env: machine.env })
    } catch (error) {
      if (!(error instanceof Missing)) throw error
      console.warn(`SKIPPED: ${command}: ${error.message}`)
      return skip()
    }
    for (const name of namesIn(command)) await use(name, cwd, machine)
  })
})

test.skipIf(rounds(0, 1) === 0)('npx runs the conformance checks', async ({ skip }) => {
  const machine = await machineWithRegistry(temporaryFolder())
  const cwd = join(machine.folder, 'project')
  mkdirSync(cwd)
  const settings = { cwd, env: machine.env }
  try {
    await npmInstall('npx --yes @latchkey/conform --print-world > world.json', settings)
  } catch (error) {
    if (!(error instanceof Missing)) throw error
    console.warn(`SKIPPED: npx @latchkey/conform: ${error.message}`)
    return skip()
  }
  const world = new URL('../../../vectors/world.json', import.meta.url)
  expect(readFileSync(join(cwd, 'world.json'), 'utf8')).toBe(readFileSync(world, 'utf8'))
})

/** Whose npm asks for our packages on this machine, and installs for all below its own folder. */
async function machineWithRegistry(folder: string): Promise<Machine & { folder: string }> {
  const machine = machineWith(26, folder)
  if (machine === undefined) throw new Error('Node 26 runs this')
  const asked = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' })
  const { url, close } = await openRegistry(inject('tarballs'), asked.stdout.trim())
  onTestFinished(close)
  const npm = { npm_config_registry: url, npm_config_prefix: folder }
  return { ...machine, folder, env: { ...machine.env, ...npm } }
}

async function use(name: string, cwd: string, { node, env, folder }: Machine & { folder: string }) {
  if (name !== 'latchkey') {
    const program = `await import('${entryOf(name, cwd)}')`
    return run(node, ['--input-type=module', '-e', program], { cwd, env })
  }
  const bins = [join(cwd, 'node_modules/.bin'), join(folder, 'bin')]
  const PATH = [...bins, env['PATH']].join(':')
  return run('bash', ['-c', 'latchkey --version'], { cwd, env: { ...env, PATH } })
}

/** What its README imports, which may be more than the name. */
function entryOf(name: string, cwd: string): string {
  const readme = readFileSync(join(cwd, 'node_modules', name, 'README.md'), 'utf8')
  const [, entry] = new RegExp(`from '(${name}[^']*)'`).exec(readme) ?? []
  return entry ?? name
}
