/** The first steps of the README and of the help, run as they are written: what a newcomer pastes into an empty folder. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { compileCache } from '@latchkey/testing/machine/latchkey-bin'
import { expect, it, onTestFinished } from 'vitest'
import { program } from '../src/program.ts'
import { collect, ended, temporaryDirectory } from './run-latchkey.ts'

const root = resolve(import.meta.dirname, '../../..')

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const [, section = ''] = /\n## A hub of your own\n(.*?)\n## /s.exec(readme) ?? []
/** What is typed in the checkout, in every terminal. */
const [, path = ''] = /In the checkout, [^`]*`(export [^`]+)`/.exec(section) ?? []
const blocksIn = (text: string) =>
  Array.from(text.matchAll(/^ *```sh\n(.*?)^ *```$/gms), ([, block = '']) => block)
const blocks = blocksIn(section)

/** Only the ports are others, because those may be taken; of the environment, what a newcomer has, and what Node has compiled before. */
async function openTerminals(cwd: string) {
  const [port, storagePort] = [await freePort(), await freePort()]
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: cwd,
    LATCHKEY_PORT: String(port),
    LATCHKEY_STORAGE_PORT: String(storagePort),
    NODE_COMPILE_CACHE: compileCache,
  }
  const scriptOf = (lines: string) =>
    ['set -e', `cd '${root}'`, path, `cd '${cwd}'`, lines].join('\n').replace('8080', `${port}`)
  return {
    start: (lines: string) =>
      spawn('bash', ['-c', scriptOf(lines)], { env, stdio: 'pipe', detached: true }),
    run: (lines: string) => spawnSync('bash', ['-c', scriptOf(lines)], { env, encoding: 'utf8' }),
  }
}

it('the commands of the README, pasted in order into an empty folder, end where it says', async () => {
  const cwd = temporaryDirectory()
  const [first = '', second = '', ...more] = blocks
  expect([path, more]).toEqual([expect.stringMatching(/^export PATH=/), []])
  expect(blocksIn(readme)).toEqual(blocks)
  expect(first).toMatch(/\nlatchkey serve --forge\n$/)
  const terminals = await openTerminals(cwd)

  const serving = terminals.start(first)
  onTestFinished(() => stop(serving))
  const output = collect(serving)
  const end = ended(serving)
  await Promise.race([
    expect.poll(() => output().stderr).toContain('latchkey storage is ready at'),
    end.then((code) => expect.fail(`ended with ${code}: ${output().stderr}`)),
  ])

  const { status, stdout, stderr } = terminals.run(second)
  expect({ status, stderr: stderr.match(/^latchkey: .*/m) }).toEqual({ status: 0, stderr: null })
  const sent = readFileSync(join(cwd, 'bert/config.json'), 'utf8')
  expect(readFileSync(join(cwd, 'copy/config.json'), 'utf8')).toBe(sent)
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/m)
  expect(stdout).toMatch(/allowed/)

  stop(serving)
  expect(await end).toBe(0)
})

it('the first steps of the help are those of the README', async () => {
  let help = ''
  const latchkey = await program([])
  latchkey.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  const [, steps = ''] = help.split('First steps')
  const commands = Array.from(steps.matchAll(/^ {4}(\S.*)$/gm), ([, command]) => command)
  expect(commands).toEqual(blocks.flatMap((block) => block.trim().split('\n')))
})

/** As Ctrl+C does: the shell and what it runs. */
function stop({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  process.kill(-pid, 'SIGINT')
}
