/** One hub with its storage, as an operator starts them, and a repository for every transfer. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { objectsIn } from '@latchkey/storage'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { compileCache, latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import { cpuMicrosOf } from '../machine.ts'

export interface World {
  readonly folder: string
  readonly hubUrl: string
  readonly hubToken: string
  /** Of the hub; the storage and git are its children. */
  readonly pid: number
  /** Of the storage's own process, so far. */
  storageCpuSeconds(): number
  /** Takes the objects off the disk; their rows stay, and are never asked for again. */
  emptyStorage(): void
  close(): Promise<void>
}

export async function startWorld(
  repositories: readonly string[],
  flags: readonly string[] = [],
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-transfer-'))
  const hubToken = makeDirectory(folder, repositories)
  const child = spawn(process.execPath, [latchkeyBin, 'serve', '--port', '0', ...flags], {
    ...around(folder),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const hubUrl = await readyUrl(child)
  const storagePids = childrenOf(child.pid)
  const objects = objectsIn(join(folder, 'latchkey-data')).folder
  mkdirSync(join(folder, 'homes'))
  return {
    ...{ folder, hubUrl, hubToken, pid: child.pid ?? 0 },
    storageCpuSeconds: () => storagePids.reduce((sum, pid) => sum + cpuMicrosOf(pid) / 1e6, 0),
    emptyStorage() {
      for (const file of globSync(join(objects, '??/*'))) rmSync(file)
    },
    async close() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Nothing of the environment of the person who measures. */
function around(cwd: string): { cwd: string; env: Record<string, string> } {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, NODE_COMPILE_CACHE: compileCache }
  return { cwd, env }
}

function makeDirectory(cwd: string, repositories: readonly string[]): string {
  const input = JSON.stringify({
    accounts: [{ name: 'ada' }],
    namespaces: [{ name: 'acme', members: { ada: 'write' } }],
    repositories: repositories.map((name) => ({
      ...{ type: 'model', id: `acme/${name}`, visibility: 'private' },
      branches: { main: 'a'.repeat(40) },
    })),
    hubTokens: [{ account: 'ada', name: 'bench', kind: 'write' }],
  })
  const words = [latchkeyBin, 'apply', '-', '--json']
  const { stdout, stderr, status } = spawnSync(process.execPath, words, {
    ...around(cwd),
    input,
  })
  if (status !== 0) throw new Error(`latchkey apply ended with ${status}: ${stderr}`)
  return JSON.parse(stdout.toString()).hubTokens[0].token
}

/** What it says later is read too, so that it never waits for a reader. */
function readyUrl({ stderr }: ChildProcess & { stderr: NodeJS.ReadableStream }): Promise<string> {
  let said = ''
  return new Promise((resolve, reject) => {
    stderr.on('data', (part: Buffer) => {
      if (said.length < 10_000) said += part.toString()
      const url = /ready at (http[^\s,]+)[,\n]/.exec(said)?.[1]
      if (url !== undefined) resolve(url)
    })
    stderr.on('end', () => reject(new Error(`latchkey serve has ended: ${said}`)))
  })
}
