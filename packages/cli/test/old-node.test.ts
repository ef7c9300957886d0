import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasProc, isGone } from '@latchkey/testing/machine/child-processes'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import { describe, expect, it, onTestFinished } from 'vitest'
import { collect, end } from './run-latchkey.ts'

/** Stands for the command: says what reaches it, and ends as its first word says. */
const main = `
const [word, ...more] = process.argv.slice(2)
if (word === 'exit') process.exit(Number(more[0]))
if (word === 'die') process.kill(process.pid, more[0])
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => { console.log(signal); process.exit(5) })
}
console.log(JSON.stringify({ word, more, pid: process.pid }))
setInterval(() => {}, 1000)
`

/** Always the same, so that Node finds again what it has compiled. */
const shared = sharedFolder()

/** The command's own folder as `npm ci` leaves it, with a Node beside it or without. */
function installed(version: string, hasNewerNode: boolean): readonly string[] {
  const root = join(shared, hasNewerNode ? 'both' : 'alone')
  const command = join(root, 'packages/cli')
  cpSync(dirname(latchkeyBin), join(command, 'bin'), { recursive: true })
  mkdirSync(join(command, 'src'), { recursive: true })
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true })
  writeFileSync(join(command, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(command, 'src/main.ts'), main)
  const node = `#!/bin/sh\nexec '${process.execPath}' "$@"\n`
  if (hasNewerNode) writeFileSync(join(root, 'node_modules/.bin/node'), node, { mode: 0o755 })
  const pretend = join(root, 'pretend.cjs')
  writeFileSync(
    pretend,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
  )
  return ['-r', pretend, join(command, 'bin/latchkey.js')]
}

it.each(['8.17.0', '20.20.2', '23.11.1'])(
  'Node %s without a newer one beside it is told in one line what to do, and ends with 3',
  (version) => {
    const words = [...installed(version, false), 'exit', '0']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    expect(status).toBe(3)
    expect(stdout).toBe('')
    expect(stderr).toMatch(
      /^latchkey: this is Node .*needs Node 24 or newer; run it through npm .*\n$/,
    )
    expect(stderr).toContain(version)
  },
)

describe('a Node that is too old runs the command on the one that npm brought, and', () => {
  it.each([0, 3])('ends with its code %i', (code) => {
    const words = [...installed('20.20.2', true), 'exit', String(code)]
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: code, stderr: '' })
  })

  it('ends by the signal that ended it', () => {
    const words = [...installed('20.20.2', true), 'die', 'SIGKILL']
    expect(spawnSync(process.execPath, words).signal).toBe('SIGKILL')
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'passes its words and %s on',
    async (signal) => {
      const { shim, output } = await waiting()
      expect(JSON.parse(output().stdout)).toMatchObject({ word: 'wait', more: ['two words'] })
      shim.kill(signal)
      const [code] = await once(shim, 'close')
      expect({ code, last: lastLine(output().stdout) }).toEqual({ code: 5, last: signal })
    },
  )

  it.skipIf(!hasProc)('leaves nothing running when it is killed', async () => {
    const { shim, output } = await waiting()
    const { pid } = JSON.parse(output().stdout)
    shim.kill('SIGKILL')
    await expect.poll(() => isGone(pid)).toBe(true)
  })
})

async function waiting(): Promise<{ shim: ChildProcess; output: ReturnType<typeof collect> }> {
  const words = [...installed('20.20.2', true), 'wait', 'two words']
  const shim = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => end(shim))
  const output = collect(shim)
  await expect.poll(() => output().stdout).toContain('\n')
  return { shim, output }
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)
