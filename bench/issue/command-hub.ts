/** Hubs as an operator starts them, with `latchkey serve`, on a small directory. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acme } from '@latchkey/testing/hub/acme'
import { prepareData } from '@latchkey/testing/hub/prepared-data'
import { compileCache, latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import bundleCommand from '../../scripts/bundle-command.ts'

export interface CommandData {
  readonly data: string
  readonly authorization: string
  readonly paths: readonly string[]
  remove(): void
}

export interface CommandHub {
  readonly child: ChildProcess
  readonly pid: number
  readonly port: number
}

/** The command is started as people have it: from a bundle of these sources, which is made where they have changed. */
export async function commandData(repositories: number): Promise<CommandData> {
  await bundleCommand()
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const names = Array.from({ length: repositories }, (_, index) => `acme/model-${index}`)
  const [bert] = acme.repositories
  const world = { ...acme, repositories: names.map((id) => ({ ...bert, id })) }
  const { data, tokens } = await prepareData(folder, world)
  return {
    data,
    authorization: `Bearer ${tokens['writer/write']}`,
    paths: names.map((id) => `/api/models/${id}/storage-read-token/main`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Resolves as soon as it says that it is ready. */
export function startCommandHub(data: string, ...more: readonly string[]): Promise<CommandHub> {
  const args = ['serve', '--no-storage', '--port', '0', '--data', data]
  const limits = ['--limits-requests-per-minute', '1000000000']
  const child = spawn(process.execPath, [latchkeyBin, ...args, ...limits, ...more], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`latchkey serve ended with ${code}`)))
    child.stderr?.on('data', (text) => {
      const port = /ready at http:.*:(\d+)/.exec(String(text))?.[1]
      if (port !== undefined) resolve({ child, pid: child.pid ?? 0, port: Number(port) })
    })
  })
}
