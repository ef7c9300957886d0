import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isRunByNpmAlone } from '../../src/serve/watch-npm.ts'
import { collect, ended, environmentOf, temporaryDirectory } from '../run-latchkey.ts'

const root = resolve(import.meta.dirname, '../../../..')

/** Through npm, as people type it; gives the addresses that it serves. */
async function startByNpm(words: readonly string[]) {
  const cwd = temporaryDirectory()
  const [program = '', ...args] = words
  const data = ['--port', '0', '--data', resolve(cwd, 'data')]
  const child = spawn(program, ['--prefix', root, ...args, ...data], {
    cwd,
    env: { ...environmentOf({ cwd }), npm_config_update_notifier: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that nothing is left running when the test fails.
    detached: true,
  })
  onTestFinished(() => signalGroup(child, 'SIGKILL'))
  const output = collect(child)
  const addresses = () => output().stderr.match(/(?<=ready at )\S+/g) ?? []
  const count = words.includes('--no-storage') ? 1 : 2
  await expect.poll(() => addresses().length, { message: words.join(' ') }).toBe(count)
  return { child, addresses: addresses(), end: ended(child) }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // Nothing of it runs any more.
  }
}

async function isAnswered(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  )
}

describe('hub and storage end, and free their ports, when npm is ended', () => {
  it.each([
    ['SIGTERM', ['npx', 'latchkey', 'serve']],
    ['SIGKILL', ['npx', 'latchkey', 'serve', '--no-storage']],
    ['SIGINT', ['npm', 'start', '--', '--no-storage']],
    // A fourth npm takes a second of a processor: in a soak alone.
    ...(rounds(0, 1) === 1 ? ([['SIGHUP', ['npm', 'start', '--', '--no-storage']]] as const) : []),
  ] as const)('by %s: %j', async (signal, words) => {
    const { child, addresses, end } = await startByNpm(words)
    for (const url of addresses) expect(await isAnswered(url)).toBe(true)
    // A terminal sends it to all of them; npm's shell alone would wait for its command.
    if (signal === 'SIGINT') signalGroup(child, signal)
    else child.kill(signal)
    await end
    for (const url of addresses) await expect.poll(() => isAnswered(url)).toBe(false)
  })
})

it.each([
  ['npx', "'latchkey'", true],
  ['npm start', 'latchkey serve --demo', true],
  ['npm with arguments', "latchkey serve --demo '--port' '0'", true],
  ['a script that leaves it running', 'latchkey serve & sleep 1', false],
  ['a script of several commands', 'latchkey serve; echo done', false],
  ['a script that starts it somehow', 'node scripts/test.ts', false],
  ['no npm', undefined, false],
])('a command ends with %s only where npm runs that command alone', (_, script, is) => {
  expect(isRunByNpmAlone({ npm_lifecycle_script: script })).toBe(is)
})
