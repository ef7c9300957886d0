/** `npx latchkey serve --demo`, and the commands that it prints. */

import { deepStrictEqual } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@latchkey/testing/machine/free-port'
import { Missing } from './install.ts'
import type { Machine } from './machine.ts'
import { run, type Surroundings, start } from './run.ts'

/** What is to be pasted; everything else on the screen is to be read. */
const pasted = /^(?:(?:npx|export|eval) |F=|ask)/

/** `npx` is what the command is called with. */
export async function tryDemo(
  { cwd, npx }: { cwd: string; npx: readonly string[] },
  { env }: Machine,
): Promise<void> {
  if (!existsSync(join(env['PATH'] ?? '', 'curl'))) throw new Missing('curl is not installed')
  const [port, storagePort] = [await freePort(), await freePort()]
  const ports = ['--port', `${port}`, '--storage-port', `${storagePort}`]
  const demo = start('npx', [...npx, 'serve', '--demo', ...ports], { cwd, env })
  try {
    await demo.said(/Ctrl\+C/)
    const printed = await paste(demo.output().stdout.split('\n'), { cwd, env })
    const answers = printed.match(/^HTTP\/1\.1 \d+/gm)
    deepStrictEqual(answers, ['HTTP/1.1 200', 'HTTP/1.1 401'], printed)
  } finally {
    await demo.stop()
  }
}

/** In one shell, which waits for what the pause is for, however slow the machine is. */
async function paste(screen: readonly string[], surroundings: Surroundings): Promise<string> {
  const pause = 'sleep() { until ask | grep -q "^HTTP.* 401 "; do command sleep 0.1; done; }'
  const script = ['set -e', pause, ...screen.filter((line) => pasted.test(line))].join('\n')
  return (await run('bash', ['-c', script], surroundings)).stdout
}
