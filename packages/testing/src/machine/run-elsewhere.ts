/** Runs a program with next to no environment and an empty home, as on a machine that has only just got it. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface EndedElsewhere {
  /** Null when it had to be killed. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export async function runElsewhere(
  program: string,
  args: readonly string[],
  patienceMs?: number,
): Promise<EndedElsewhere> {
  const home = mkdtempSync(join(tmpdir(), 'latchkey-runtime-'))
  const child = spawn(program, args, {
    env: { HOME: home, DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(patienceMs === undefined ? {} : { timeout: patienceMs, killSignal: 'SIGKILL' }),
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
  })
  const [code] = await once(child, 'close')
  rmSync(home, { recursive: true, force: true })
  return { code, ...said }
}
