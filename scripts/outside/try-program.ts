/** A program that talks to the hub and its storage ends well, and prints what it must. */

import { deepStrictEqual } from 'node:assert/strict'
import type { OutsideHub } from './hub.ts'
import { type Surroundings, start } from './run.ts'

export async function tryProgram(
  project: 'client' | 'xet',
  [program, ...words]: readonly [program: string, ...words: string[]],
  { cwd, env }: Surroundings,
  hub: OutsideHub,
): Promise<void> {
  const settings = { HUB_URL: hub.url, HUB_TOKEN: hub.hubToken, FILE_HASH: hub.file.hash }
  const ended = await start(program, words, { cwd, env: { ...env, ...settings } }).ended
  deepStrictEqual({ ...ended, stdout: '' }, { code: 0, stdout: '', stderr: '' })
  deepStrictEqual(JSON.parse(ended.stdout), expected(hub)[project])
}

/** As `outside/client` and `outside/xet` print it. */
function expected({ file }: OutsideHub) {
  return {
    client: { scope: 'read', status: 200, bytes: file.bytes, code: 'hub_token_invalid' },
    xet: { isSame: true, bytes: 3_000_000, isSent: true },
  }
}
