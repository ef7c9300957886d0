/** `latchkey` and `hf_xet` as two clients of one storage, each transfer a process of its own that can be killed. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { launch } from '@latchkey/testing/machine/command'
import { hfXetProgram } from '@latchkey/testing/tools/python-environments'
import type { Stage } from '../real-clients/stage.ts'

export interface Transfer {
  readonly branch: string
  /** What is sent, or where what arrives is written. */
  readonly file: string
}

export interface ToRead extends Transfer {
  readonly hash: string
  readonly bytes: number
}

export interface Running {
  readonly child: ChildProcess
  /** What it printed. Fails when the transfer does. */
  readonly printed: Promise<string>
}

export interface Client {
  /** Prints the hash. */
  upload(transfer: Transfer): Running
  download(transfer: ToRead): Running
}

export function latchkeyClient({ hub, hubTokens }: Stage, folder: string): Client {
  const env = { LATCHKEY_HUB: hub.url, LATCHKEY_HUB_TOKEN: hubTokens['writer/write'] }
  const run = (...words: string[]): Running => {
    const { child, ended } = launch(words, { cwd: folder, env })
    return { child, printed: ended.then(({ code, ...said }) => printedBy(code, said)) }
  }
  const target = (branch: string) => `models/acme/bert@${branch}`
  return {
    upload: ({ branch, file }) => run('upload', target(branch), file),
    download: ({ branch, file, hash }) => run('download', target(branch), hash, '-o', file),
  }
}

const retrySoon = { HF_XET_CLIENT_RETRY_BASE_DELAY: '100ms' }

/** Every process has a home of its own, so that none remembers what an earlier one has sent. */
export function hfXetClient({ hub, hubTokens }: Stage, folder: string, python: string): Client {
  const run = (order: Transfer & { readonly direction: string }, scope: string): Running => {
    const home = mkdtempSync(join(folder, 'home-'))
    const child = spawn(python, [hfXetProgram], {
      env: { HOME: home, HF_HOME: home, HF_HUB_DISABLE_TELEMETRY: '1', ...retrySoon },
    })
    const tokenUrl = `${hub.url}/api/models/acme/bert/xet-${scope}-token/${order.branch}`
    child.stdin.end(JSON.stringify({ ...order, tokenUrl, hubToken: hubTokens['writer/write'] }))
    const said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    const printed = said.then(([stdout, stderr, [code]]) => printedBy(code, { stdout, stderr }))
    return { child, printed }
  }
  return {
    upload: (transfer) => run({ ...transfer, direction: 'upload' }, 'write'),
    download: (transfer) => run({ ...transfer, direction: 'download' }, 'read'),
  }
}

function printedBy(code: number | null, said: { stdout: string; stderr: string }): string {
  if (code === 0) return said.stdout.trim()
  throw new Error(`a client ended with ${code}: ${said.stderr}`)
}
