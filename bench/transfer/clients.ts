/** The two clients as commands: the same file, the same storage, each in a process of its own. */

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { compileCache, latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import {
  hfXetProgram,
  isInstalled,
  pythonClients,
} from '@latchkey/testing/tools/python-environments'
import type { World } from './world.ts'

export type ClientName = 'latchkey' | 'hf_xet'

export interface Transfer {
  readonly direction: 'upload' | 'download'
  readonly client: ClientName
  readonly repository: string
  /** What is sent, or where what arrives is written. */
  readonly file: string
  readonly bytes: number
  /** Of a download. */
  readonly hash: string
}

export interface Took {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMegabytes: number
  readonly storageCpuSeconds: number
  readonly hash: string
}

interface Order {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly input: string
}

export const release = '1.8.0'
const environment = pythonClients.find(({ packages }) => packages['hf_xet'] === release)

/** The interpreter that has hf_xet. */
export function findPython(): string | undefined {
  return environment !== undefined && isInstalled(environment) ? environment.python : undefined
}

/** Every transfer has a new home, so that no client remembers an earlier one. */
export async function run(world: World, transfer: Transfer, python: string): Promise<Took> {
  const home = mkdtempSync(join(world.folder, 'homes/home-'))
  const orderOf = { latchkey: latchkeyOrder, hf_xet: hfXetOrder }[transfer.client]
  const { env, ...order } = orderOf(world, transfer, python)
  // What was written before would go to the disk meanwhile.
  spawnSync('sync')
  const before = world.storageCpuSeconds()
  const child = spawn(python, ['-B', join(import.meta.dirname, 'run_measured.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify({ ...order, home, env: { ...env, HOME: home } }))
  const { code, stdout, stderr, ...used } = JSON.parse(await text(child.stdout))
  rmSync(home, { recursive: true, force: true })
  if (code !== 0) throw new Error(`${transfer.client} ${transfer.direction}: ${code} ${stderr}`)
  const storageCpuSeconds = world.storageCpuSeconds() - before
  return { ...used, storageCpuSeconds, hash: transfer.hash || String(stdout).trim() }
}

function latchkeyOrder(world: World, { direction, repository, file, hash }: Transfer): Order {
  const words = direction === 'upload' ? [file] : [hash, '-o', file]
  return {
    command: [process.execPath, latchkeyBin, direction, `models/acme/${repository}@main`, ...words],
    env: {
      NODE_COMPILE_CACHE: compileCache,
      LATCHKEY_HUB: world.hubUrl,
      LATCHKEY_HUB_TOKEN: world.hubToken,
    },
    input: '',
  }
}

function hfXetOrder(world: World, transfer: Transfer, python: string): Order {
  const scope = transfer.direction === 'upload' ? 'write' : 'read'
  const tokenUrl = `${world.hubUrl}/api/models/acme/${transfer.repository}/storage-${scope}-token/main`
  return {
    command: [python, '-B', hfXetProgram],
    env: { HF_HUB_DISABLE_TELEMETRY: '1' },
    input: JSON.stringify({ ...transfer, tokenUrl, hubToken: world.hubToken }),
  }
}
