/** Runs steps of the Python program against a stage, in a home of its own. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Stage } from '../real-clients/stage.ts'

/** How a step ended, as a user would see it. */
export type Outcome =
  | { readonly gave: unknown }
  | { readonly raised: string; readonly message: string }

export interface Setting {
  readonly python: string
  readonly stage: Stage
  /** Where the files are, and everything else may be. */
  readonly folder: string
}

const patienceMs = 120_000

/** Throws when the program does not come to its end. */
export async function runPython(
  { python, stage: { hub, hubTokens }, folder }: Setting,
  steps: readonly string[],
): Promise<Readonly<Record<string, Outcome>>> {
  const home = mkdtempSync(join(folder, 'home-'))
  const child = spawn(python, [join(import.meta.dirname, 'transfers.py')], {
    env: {
      HOME: home,
      HF_HOME: home,
      HF_ENDPOINT: hub.url,
      HF_HUB_DISABLE_TELEMETRY: '1',
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
      HF_XET_CLIENT_RETRY_BASE_DELAY: '100ms',
    },
    stdio: 'pipe',
  })
  const kill = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const [writeToken, readToken] = [hubTokens['writer/write'], hubTokens['writer/read']]
  const given = { files: folder, downloads: join(home, 'downloads'), writeToken, readToken, steps }
  child.stdin.end(JSON.stringify(given))
  const ended = once(child, 'close')
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await ended
  clearTimeout(kill)
  if (code !== 0) throw new Error(`Python ended with ${code}: ${complained}`)
  return JSON.parse(said)
}
